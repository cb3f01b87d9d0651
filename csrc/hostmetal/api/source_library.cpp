#include "hostmetal/api/library_code.hpp"

namespace hostmetal::api {

namespace {

class SourceLibrary final : public LibraryCode {
public:
  SourceLibrary(CompilerLibrary compiler, CompilerLibrary::CompiledLibrary compiled)
      : LibraryCode(std::move(compiled.description)), compiler_(compiler),
        module_(std::move(compiled.module)) {}

  LoadedKernel build(const image::Function &function,
                     const std::vector<Constant> &constants) const override {
    std::vector<HmConstant> values;
    for (const Constant &constant : constants)
      values.push_back(
          {constant.index, constant.data_type, {constant.bytes.data(), constant.bytes.size()}});
    const HmKernelRequest request{
        .module = {module_.data(), module_.size()},
        .function = function.name.c_str(),
        .constants = values.data(),
        .constant_count = values.size(),
        .target = nullptr,
    };
    return compiler_.build(request);
  }

private:
  CompilerLibrary compiler_;
  std::string module_;
};

} // namespace

std::shared_ptr<const LibraryCode> compile_source(const SourceRequest &request,
                                                  std::string &warnings) {
  std::vector<HmMacro> macros;
  for (const auto &[name, value] : request.macros)
    macros.push_back({name.c_str(), value.c_str()});
  const HmLibraryRequest library{
      .source = {request.source.data(), request.source.size()},
      .name = "program_source",
      .macros = macros.data(),
      .macro_count = macros.size(),
      .include_paths = nullptr,
      .include_path_count = 0,
      .language_version = request.language_version,
      .math_mode = request.math_mode,
  };
  const CompilerLibrary compiler = CompilerLibrary::open();
  CompilerLibrary::CompiledLibrary compiled = compiler.compile(library);
  warnings = std::move(compiled.warnings);
  return std::make_shared<const SourceLibrary>(compiler, std::move(compiled));
}

} // namespace hostmetal::api
