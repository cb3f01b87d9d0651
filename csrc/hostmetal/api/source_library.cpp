#include "hostmetal/api/failure.hpp"
#include "hostmetal/api/library_cache.hpp"
#include "hostmetal/api/library_code.hpp"
#include "support/guarded.hpp"
#include "support/request_key.hpp"

#include <algorithm>
#include <map>

namespace hostmetal::api {

namespace {

using KernelObject = CompilerLibrary::KernelObject;
/// The kernels of a library that are alive, by kernel_key.
using LiveKernels = std::map<metalcore::Digest, std::weak_ptr<const KernelObject>>;

/// Views of the constants' bytes.
std::vector<HmConstant> values_of(const std::vector<Constant> &constants) {
  std::vector<HmConstant> values;
  for (const Constant &constant : constants)
    values.push_back(
        {constant.index, constant.data_type, {constant.bytes.data(), constant.bytes.size()}});
  return values;
}

class SourceLibrary final : public LibraryCode {
public:
  SourceLibrary(CompilerLibrary::CompiledLibrary compiled, const metalcore::Digest &identity)
      : LibraryCode(std::move(compiled.description), identity),
        module_(std::move(compiled.module)) {}

  std::string_view module() const override { return module_; }

  bool is_compiled() const override { return false; }

  LoadedKernel build(const image::Function &function, const std::vector<Constant> &constants,
                     const LinkedFunctions &linked) const override {
    const CompilerLibrary compiler = CompilerLibrary::open();
    auto kernel =
        std::make_shared<const KernelObject>(compile(compiler, function, constants, linked));
    live_.with([&](LiveKernels &live) {
      std::erase_if(live, [](const auto &entry) { return entry.second.expired(); });
      live[kernel_key(function, constants, linked)] = kernel;
    });
    return compiler.load(std::move(kernel));
  }

  image::Kernel reflect(const image::Function &function) const override {
    return CompilerLibrary::open().reflect(module_, function.name);
  }

  std::shared_ptr<const image::ArchivedKernel>
  archived(const image::Function &function, const std::vector<Constant> &constants,
           const LinkedFunctions &linked) const override {
    const CompilerLibrary compiler = CompilerLibrary::open();
    const std::optional<std::string> build_id = CompilerLibrary::build_id();
    if (!build_id || !compiler.has_build_id(*build_id))
      throw Failure(Failure::Kind::internal,
                    "The build of the MSL compiler in use cannot be told from its file, so nothing "
                    "that it compiles can be archived.");
    std::shared_ptr<const KernelObject> kernel = live_.with([&](const LiveKernels &live) {
      const auto found = live.find(kernel_key(function, constants, linked));
      return found == live.end() ? nullptr : found->second.lock();
    });
    if (!kernel)
      kernel = std::make_shared<const KernelObject>(compile(compiler, function, constants, linked));
    return std::make_shared<const image::ArchivedKernel>(function.name, compiler.link(*kernel));
  }

private:
  KernelObject compile(const CompilerLibrary &compiler, const image::Function &function,
                       const std::vector<Constant> &constants,
                       const LinkedFunctions &linked) const {
    const std::vector<HmConstant> values = values_of(constants);
    std::vector<std::vector<HmConstant>> linked_values;
    std::vector<HmLinkedFunction> linked_functions;
    for (const LinkedFunction &each : linked) {
      const std::string_view module = each.library->module();
      const std::vector<HmConstant> &given = linked_values.emplace_back(values_of(each.constants));
      linked_functions.push_back({.module = {module.data(), module.size()},
                                  .function = each.function->name.c_str(),
                                  .constants = given.data(),
                                  .constant_count = given.size(),
                                  .id = each.number()});
    }
    const HmKernelRequest request{
        .module = {module_.data(), module_.size()},
        .function = function.name.c_str(),
        .constants = values.data(),
        .constant_count = values.size(),
        .linked = linked_functions.data(),
        .linked_count = linked_functions.size(),
        .target = nullptr,
    };
    return compiler.compile(request);
  }

  std::string module_;
  mutable metalcore::Guarded<LiveKernels> live_;
};

CompilerLibrary::CompiledLibrary compile(const CompilerLibrary &compiler,
                                         const SourceRequest &request) {
  std::vector<HmMacro> macros;
  for (const auto &[name, value] : request.macros)
    macros.push_back({name.c_str(), value.c_str()});
  const HmLibraryRequest library{
      .source = {request.source.data(), request.source.size()},
      .name = "program_source",
      .macros = macros.data(),
      .macro_count = macros.size(),
      // None: a source includes the standard library only, so that it and the compiler's build
      // decide the result.
      .include_paths = nullptr,
      .include_path_count = 0,
      .language_version = request.language_version,
      .math_mode = request.math_mode,
      .enable_logging = request.enable_logging,
  };
  return compiler.compile(library);
}

/// Whether the result depends on when it was made.
bool asks_for_the_time(const SourceRequest &request) {
  const auto is_in = [](std::string_view text) {
    return std::ranges::any_of(
        std::initializer_list<std::string_view>{"__DATE__", "__TIME__", "__TIMESTAMP__"},
        [&](std::string_view macro) { return text.find(macro) != std::string_view::npos; });
  };
  return is_in(request.source) || std::ranges::any_of(request.macros, [&](const auto &macro) {
           return is_in(macro.second);
         });
}

struct CacheKey {
  std::string build_id; ///< of the compiler
  metalcore::Digest digest;
};

/// Empty where the result is not to be cached.
std::optional<CacheKey> cache_key(const SourceRequest &request) {
  if (!library_cache::is_on() || asks_for_the_time(request))
    return std::nullopt;
  std::optional<std::string> build_id = CompilerLibrary::build_id();
  if (!build_id)
    return std::nullopt;
  metalcore::RequestKey key;
  key.text(*build_id).text(request.source);
  key.number(request.language_version).number(request.math_mode);
  key.number(request.enable_logging).number(request.macros.size());
  for (const auto &[name, value] : request.macros)
    key.text(name).text(value);
  return CacheKey{std::move(*build_id), metalcore::sha256(key.take())};
}

} // namespace

std::shared_ptr<const LibraryCode> compile_source(const SourceRequest &request,
                                                  std::string &warnings) {
  const std::optional<CacheKey> key = cache_key(request);
  if (key) {
    if (std::optional<library_cache::Entry> entry = library_cache::load(key->digest)) {
      warnings = std::move(entry->library.warnings);
      return std::make_shared<const SourceLibrary>(std::move(entry->library), entry->identity);
    }
  }
  const CompilerLibrary compiler = CompilerLibrary::open();
  CompilerLibrary::CompiledLibrary compiled = compile(compiler, request);
  warnings = std::move(compiled.warnings);
  const metalcore::Digest identity = metalcore::sha256(compiled.module);
  auto library = std::make_shared<const SourceLibrary>(std::move(compiled), identity);
  if (key && compiler.has_build_id(key->build_id))
    library_cache::store(key->digest, [library, warnings] {
      return library_cache::serialise(library->module(), library->description(), warnings,
                                      library->identity());
    });
  return library;
}

} // namespace hostmetal::api
