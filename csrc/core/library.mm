#include "core/library_impl.hpp"

#include "core/device_impl.hpp"
#include "core/pipeline_impl.hpp"
#include "core/pipeline_store.hpp"
#include "core/platform.hpp"
#include "core/profile_process.hpp"
#include "core/reflection.hpp"
#include "core/warmup.hpp"
#include "metalcore/error.hpp"
#include "objc/autorelease_pool.hpp"
#include "objc/error.hpp"
#include "objc/strings.hpp"
#include "support/trace.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include <dlfcn.h>

namespace metalcore {

using objc::Retained;

namespace {

constexpr std::string_view builtin_name = "builtin.metallib";

/// Autoreleased; std::invalid_argument when `text` is not UTF-8.
NSString *utf8(std::string_view text, const char *what) {
  NSString *string = objc::to_nsstring(text);
  if (!string)
    throw std::invalid_argument(std::string(what) + " is not valid UTF-8.");
  return string;
}

bool is_identifier(std::string_view name) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !name.empty() && is_letter(name[0]) &&
         std::ranges::all_of(name, [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

void set_math_mode(MTLCompileOptions *options, MathMode mode) {
  if (@available(macOS 15.0, iOS 18.0, *)) {
    switch (mode) {
    case MathMode::safe:
      [options setMathMode:MTLMathModeSafe];
      break;
    case MathMode::relaxed:
      [options setMathMode:MTLMathModeRelaxed];
      break;
    case MathMode::fast:
      [options setMathMode:MTLMathModeFast];
      break;
    }
    [options setMathFloatingPointFunctions:mode == MathMode::safe
                                               ? MTLMathFloatingPointFunctionsPrecise
                                               : MTLMathFloatingPointFunctionsFast];
  } else {
    // The older switch knows two modes; relaxed is the stricter neighbour.
    [options setFastMathEnabled:mode == MathMode::fast];
  }
}

Retained<MTLCompileOptions *> options_of(const LibraryRequest &request) {
  auto options = Retained<MTLCompileOptions *>::adopt([[MTLCompileOptions alloc] init]);
  set_math_mode(options.get(), request.math_mode);
  NSMutableDictionary<NSString *, NSObject *> *macros = [NSMutableDictionary dictionary];
  for (const auto &[name, value] : request.macros) {
    if (!is_identifier(name))
      throw std::invalid_argument("Macro name \"" + name + "\" is not an identifier.");
    [macros setObject:utf8(value, "A macro's value") forKey:utf8(name, "A macro's name")];
  }
  [options.get() setPreprocessorMacros:macros];
  if (@available(macOS 15.0, iOS 18.0, *))
    [options.get() setEnableLogging:request.enable_logging];
  return options;
}

Digest identity_of(const LibraryRequest &request) { return sha256("source" + request.key()); }

/// Empty where the file cannot be read.
std::optional<Digest> file_identity(const std::filesystem::path &path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes = "file";
  bytes.append(std::istreambuf_iterator<char>(file), {});
  return file.bad() || !file.is_open() ? std::nullopt : std::optional(sha256(bytes));
}

/// The first error of the compiler's text, or its first line.
std::string headline(const std::string &diagnostics) {
  const auto error = diagnostics.find("error:");
  const auto before =
      error == std::string::npos ? std::string::npos : diagnostics.rfind('\n', error);
  const auto begin = before == std::string::npos ? 0 : before + 1;
  return diagnostics.substr(begin, diagnostics.find('\n', begin) - begin);
}

[[noreturn]] void throw_unknown_kernel(const Library::Impl &library, const std::string &name) {
  constexpr std::size_t most_names = 20;
  const std::vector<std::string> known = names_of(library.metal.get());
  std::string names;
  for (std::size_t i = 0; i < std::min(known.size(), most_names); ++i)
    names += (i > 0 ? ", " : "") + known[i];
  if (known.size() > most_names)
    names += ", ...";
  throw std::out_of_range("The library has no kernel \"" + name + '"' +
                          (names.empty() ? "; it is empty." : "; it has " + names + '.'));
}

/// The folder that this code was loaded from. It is found out while that happens: later the dynamic
/// loader may be busy with the compiler.
const std::filesystem::path own_folder = [] {
  Dl_info info{};
  std::error_code no_folder; // the current folder may have been deleted
  if (dladdr(&builtin_name, &info) == 0 || !info.dli_fname)
    return std::filesystem::current_path(no_folder);
  return std::filesystem::absolute(info.dli_fname, no_folder).parent_path();
}();

} // namespace

std::vector<std::string> names_of(id<MTLLibrary> library) {
  std::vector<std::string> names;
  for (NSString *name in [library functionNames])
    names.push_back(objc::to_string(name));
  return names;
}

Retained<id<MTLFunction>> kernel_of(const Library::Impl &library, const std::string &kernel) {
  NSString *name = objc::to_nsstring(kernel);
  auto function =
      Retained<id<MTLFunction>>::adopt(name ? [library.metal.get() newFunctionWithName:name] : nil);
  if (!function || [function.get() functionType] != MTLFunctionTypeKernel)
    throw_unknown_kernel(library, kernel);
  return function;
}

Library::Impl::Impl(std::shared_ptr<Device::Impl> device, id<MTLLibrary> library,
                    std::string warnings, std::optional<Digest> identity)
    : device(std::move(device)), metal(Retained<id<MTLLibrary>>::retain(library)),
      warnings(std::move(warnings)), identity(identity),
      // The library outlives its cache, which it owns.
      pipelines([this](const PipelineRequest &request) { return find_pipeline(*this, request); }) {}

std::shared_ptr<Library::Impl> compile_library(const std::shared_ptr<Device::Impl> &device,
                                               const LibraryRequest &request) {
  trace::Span span("compile", "library");
  if (trace::is_on())
    span.add("key", to_hex(identity_of(request)).substr(0, 12));
  const objc::AutoreleasePool pool;
  if (request.enable_logging)
    device->log.enable(device->metal.get());
  NSString *source = utf8(request.source, "The Metal source");
  const auto options = options_of(request);
  NSError *error = nil;
  const auto library =
      Retained<id<MTLLibrary>>::adopt([device->metal.get() newLibraryWithSource:source
                                                                        options:options.get()
                                                                          error:&error]);
  // With a library, the error holds warnings.
  const std::string text = error ? objc::to_string([error localizedDescription]) : "";
  if (!library)
    throw Error(ErrorKind::compile,
                "The Metal source does not compile: " + headline(objc::describe(error)) + '.',
                text);
  return std::make_shared<Library::Impl>(device, library.get(), text, identity_of(request));
}

std::shared_ptr<Library::Impl> open_library(const std::shared_ptr<Device::Impl> &device,
                                            const std::filesystem::path &path,
                                            bool keeps_pipelines) {
  const trace::Span span("compile", "open " + path.filename().string());
  const objc::AutoreleasePool pool;
  NSURL *url = [NSURL fileURLWithPath:utf8(path.native(), "The library's path")];
  NSError *error = nil;
  const auto identity = keeps_pipelines ? file_identity(path) : std::nullopt;
  const auto library =
      Retained<id<MTLLibrary>>::adopt([device->metal.get() newLibraryWithURL:url error:&error]);
  if (!library)
    throw Error(ErrorKind::compile, "The library \"" + path.string() +
                                        "\" cannot be opened: " + objc::describe(error) + '.');
  // The file may have been replaced while it was opened.
  const bool is_unchanged = identity && identity == file_identity(path);
  return std::make_shared<Library::Impl>(device, library.get(), std::string(),
                                         is_unchanged ? identity : std::nullopt);
}

std::vector<std::string> Library::kernel_names() const {
  const fork::Section section;
  const objc::AutoreleasePool pool;
  std::vector<std::string> kernels;
  for (std::string &name : names_of(impl_->metal.get())) {
    const auto function = Retained<id<MTLFunction>>::adopt(
        [impl_->metal.get() newFunctionWithName:objc::to_nsstring(name)]);
    if ([function.get() functionType] == MTLFunctionTypeKernel)
      kernels.push_back(std::move(name));
  }
  return kernels;
}

bool Library::contains(std::string_view kernel) const {
  const fork::Section section;
  const objc::AutoreleasePool pool;
  NSString *name = objc::to_nsstring(kernel);
  const auto function =
      Retained<id<MTLFunction>>::adopt(name ? [impl_->metal.get() newFunctionWithName:name] : nil);
  return function && [function.get() functionType] == MTLFunctionTypeKernel;
}

std::vector<FunctionConstant> Library::function_constants(std::string_view kernel) const {
  const fork::Section section;
  const objc::AutoreleasePool pool;
  std::vector<FunctionConstant> constants;
  const auto function = kernel_of(*impl_, std::string(kernel));
  NSDictionary<NSString *, MTLFunctionConstant *> *declared =
      [function.get() functionConstantsDictionary];
  for (NSString *name in declared) {
    MTLFunctionConstant *constant = [declared objectForKey:name];
    const TypeDescription type = describe_type([constant type]);
    constants.push_back({objc::to_string(name), [constant index], type.name,
                         type.vector_width == 1 ? type.dtype : std::nullopt,
                         static_cast<bool>([constant required])});
  }
  std::ranges::sort(constants, {}, &FunctionConstant::index);
  return constants;
}

std::string Library::warnings() const { return impl_->warnings; }

Pipeline Library::pipeline(std::string_view kernel, const PipelineOptions &options) const {
  platform::check_process();
  pipeline_store(); // opened before the cache's fork::Section begins
  const PipelineRequest request{std::string(kernel), options.constants};
  auto pipeline = impl_->pipelines.get(request);
  const bool is_recordable =
      impl_->device->is_default && (impl_->is_builtin || impl_->request != nullptr);
  if (is_recordable && !pipeline->is_recorded && !pipeline->is_recorded.exchange(true))
    record_use(impl_->request, request);
  return Pipeline(std::move(pipeline));
}

void build_ahead(const Library &library, const PipelineRequest &request) {
  platform::check_process();
  pipeline_store();
  library.impl()->pipelines.get(request);
}

Device Library::device() const { return Device(impl_->device); }

Library builtin_library(const Device &device) {
  platform::check_process();
  const auto &impl = device.impl();
  return Library(impl->builtin.get("builtin", [&] {
    // It is machine code already.
    auto library = open_library(impl, own_folder / builtin_name, /*keeps_pipelines=*/false);
    library->is_builtin = true;
    return library;
  }));
}

} // namespace metalcore
