#include "hostmetal/compiler/api/library_call.hpp"

#include "hostmetal/compiler/api/bytes.hpp"
#include "hostmetal/compiler/frontend/frontend.hpp"
#include "hostmetal/compiler/lowering/data_types.hpp"
#include "hostmetal/image/reflection.hpp"

#include <llvm/ADT/STLExtras.h>

namespace hostmetal::api {
namespace {

frontend::SourceRequest to_source_request(const HmLibraryRequest &request) {
  frontend::SourceRequest result;
  llvm::StringRef source = to_text(request.source);
  result.source = {source.data(), source.size()};
  if (request.name)
    result.name = request.name;
  for (size_t i = 0; i < request.macro_count; ++i)
    result.macros.emplace_back(request.macros[i].name,
                               request.macros[i].value ? request.macros[i].value : "1");
  for (size_t i = 0; i < request.include_path_count; ++i)
    result.include_paths.emplace_back(request.include_paths[i]);
  if (request.language_version != 0)
    result.language_version = request.language_version;
  result.enable_logging = request.enable_logging != 0;
  switch (request.math_mode) {
  case HM_MATH_SAFE:
    result.math_mode = frontend::MathMode::safe;
    break;
  case HM_MATH_RELAXED:
    result.math_mode = frontend::MathMode::relaxed;
    break;
  case HM_MATH_FAST:
    result.math_mode = frontend::MathMode::fast;
    break;
  }
  return result;
}

image::Library to_library(const frontend::SourceResult &result) {
  image::Library library;
  for (const frontend::FunctionSummary &summary : result.functions) {
    image::Function function;
    function.name = summary.name;
    function.kind = summary.kind == frontend::FunctionKind::kernel ? image::Function::Kind::kernel
                                                                   : image::Function::Kind::visible;
    for (const frontend::FunctionConstant &constant : result.constants)
      if (llvm::is_contained(summary.constants, constant.index))
        function.constants.push_back({constant.name, constant.index,
                                      lowering::data_type_of(constant.type), constant.is_required});
    library.functions.push_back(std::move(function));
  }
  return library;
}

} // namespace

HmStatus compile_library(const HmLibraryRequest *request, HmBytes *module, HmBytes *library,
                         HmBytes *diagnostics) {
  *module = *library = *diagnostics = {nullptr, 0};
  // Guards itself against crashes.
  frontend::SourceResult result = frontend::compile_source(to_source_request(*request));
  *diagnostics = to_bytes(result.diagnostics);
  if (!result.ok)
    return result.is_internal_error ? HM_INTERNAL_ERROR : HM_COMPILE_ERROR;
  *module = to_bytes(result.bitcode);
  *library = to_bytes(image::serialise(to_library(result)));
  return HM_OK;
}

} // namespace hostmetal::api
