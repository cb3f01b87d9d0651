#include "hostmetal/api/compiler_library.hpp"

#include "hostmetal/api/failure.hpp"
#include "hostmetal/image/bytes.hpp"
#include "support/fork.hpp"
#include "support/guarded.hpp"
#include "support/linux/build_id.hpp"
#include <hostmetal/compiler.h>

#include <dlfcn.h>
#include <filesystem>
#include <span>
#include <string_view>

namespace hostmetal::api {

namespace {

// A fork that cut into the compiler would leave LLVM's locks held in the child.
using CompilerCall = metalcore::fork::Section;

std::string library_path() {
  Dl_info info{};
  if (!dladdr(reinterpret_cast<const void *>(&library_path), &info) || !info.dli_fname)
    throw Failure(Failure::Kind::internal, "The folder of libhostmetal could not be found.");
  std::error_code error;
  const std::filesystem::path own = std::filesystem::canonical(info.dli_fname, error);
  if (error)
    throw Failure(Failure::Kind::internal, "The folder of " + std::string(info.dli_fname) +
                                               " could not be found: " + error.message() + ".");
  return own.parent_path() / HM_COMPILER_LIBRARY;
}

[[noreturn]] void fail_to_open(const std::string &path, const std::string &why) {
  throw Failure(Failure::Kind::unsupported,
                "The MSL compiler " + path + " cannot be used: " + why + ".");
}

const HmCompiler &open_library() {
  const std::string path = library_path();
  void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    fail_to_open(path, dlerror());
  const auto function = reinterpret_cast<HmCompilerFunction>(dlsym(handle, HM_COMPILER_SYMBOL));
  if (!function)
    fail_to_open(path, std::string("it has no symbol ") + HM_COMPILER_SYMBOL);
  const HmCompiler &compiler = *function();
  if (compiler.abi_version != HM_COMPILER_ABI_VERSION)
    fail_to_open(path, "its ABI version is " + std::to_string(compiler.abi_version) + " and not " +
                           std::to_string(HM_COMPILER_ABI_VERSION));
  if (compiler.kernel_abi_version != HM_ABI_VERSION)
    fail_to_open(path, "it compiles for kernel ABI version " +
                           std::to_string(compiler.kernel_abi_version) + " and not " +
                           std::to_string(HM_ABI_VERSION));
  return compiler;
}

metalcore::Guarded<const HmCompiler *> opened(nullptr);

/// Never destroyed: threads in the background may ask while static objects go.
metalcore::Guarded<std::optional<std::string>> &known_build_id() {
  const metalcore::fork::Section section;
  static auto &instance = *new metalcore::Guarded<std::optional<std::string>>;
  return instance;
}

/// Bytes of the compiler's, given back at the end.
class Bytes {
public:
  explicit Bytes(const HmCompiler &compiler) : compiler_(compiler) {}
  ~Bytes() { compiler_.free_bytes(bytes_); }
  Bytes(const Bytes &) = delete;
  Bytes &operator=(const Bytes &) = delete;

  HmBytes *out() { return &bytes_; }
  std::span<const uint8_t> span() const { return {bytes_.data, bytes_.size}; }
  std::string text() const { return {reinterpret_cast<const char *>(bytes_.data), bytes_.size}; }

private:
  const HmCompiler &compiler_;
  HmBytes bytes_{};
};

HmView view(const std::string &bytes) {
  return {bytes.data(), bytes.size()};
}

void check(HmStatus status, const Bytes &diagnostics) {
  switch (status) {
  case HM_OK:
    return;
  case HM_COMPILE_ERROR:
    throw Failure(Failure::Kind::compile_failure, diagnostics.text());
  case HM_INTERNAL_ERROR:
    break;
  }
  throw Failure(Failure::Kind::internal, diagnostics.text());
}

image::Kernel parse_reflection(std::span<const uint8_t> bytes) {
  std::optional<image::Kernel> reflection = image::parse_kernel(bytes);
  if (!reflection)
    throw Failure(Failure::Kind::internal,
                  "The compiler's description of a kernel cannot be read.");
  return std::move(*reflection);
}

void unload(const HmCompiler &compiler, HmLoaded *loaded) {
  const CompilerCall call;
  compiler.unload(loaded);
}

} // namespace

CompilerLibrary CompilerLibrary::open() {
  // Opening under the lock is what makes others wait for the same attempt; a failed one is made
  // again by the next caller.
  return CompilerLibrary(*opened.with([](const HmCompiler *&compiler) {
    if (!compiler)
      compiler = &open_library();
    return compiler;
  }));
}

std::optional<std::string> CompilerLibrary::build_id() {
  if (std::optional<std::string> known = known_build_id().with([](const auto &id) { return id; }))
    return known;
  std::optional<std::string> read = metalcore::build_id_of_file(library_path());
  if (read)
    known_build_id().with([&](std::optional<std::string> &id) {
      // One answer for the whole process, whatever becomes of the file.
      if (!id)
        id = read;
      read = id;
    });
  return read;
}

bool CompilerLibrary::has_build_id(const std::string &id) const {
  return std::string_view(compiler_->version).find(id) != std::string_view::npos;
}

CompilerLibrary::CompiledLibrary CompilerLibrary::compile(const HmLibraryRequest &request) const {
  const CompilerCall call;
  Bytes module(*compiler_), library(*compiler_), diagnostics(*compiler_);
  check(compiler_->compile_library(&request, module.out(), library.out(), diagnostics.out()),
        diagnostics);
  std::optional<image::Library> description = image::parse_library(library.span());
  if (!description)
    throw Failure(Failure::Kind::internal,
                  "The compiler's description of the library cannot be read.");
  return {module.text(), std::move(*description), diagnostics.text()};
}

CompilerLibrary::KernelObject CompilerLibrary::compile(const HmKernelRequest &request) const {
  const CompilerCall call;
  Bytes object(*compiler_), reflection(*compiler_), diagnostics(*compiler_);
  check(compiler_->compile_kernel(&request, object.out(), reflection.out(), diagnostics.out()),
        diagnostics);
  return {object.text(), reflection.text()};
}

image::Kernel CompilerLibrary::reflect(const std::string &module,
                                       const std::string &function) const {
  const CompilerCall call;
  Bytes reflection(*compiler_), diagnostics(*compiler_);
  check(compiler_->reflect_kernel(view(module), function.c_str(), reflection.out(),
                                  diagnostics.out()),
        diagnostics);
  return parse_reflection(reflection.span());
}

std::string CompilerLibrary::link(const KernelObject &kernel) const {
  const CompilerCall call;
  Bytes image(*compiler_), diagnostics(*compiler_);
  const HmObject object{view(kernel.object), view(kernel.reflection)};
  check(compiler_->link_image(&object, 1, image.out(), diagnostics.out()), diagnostics);
  return image.text();
}

CompilerLibrary::LoadedKernel
CompilerLibrary::load(std::shared_ptr<const KernelObject> kernel) const {
  const CompilerCall call;
  image::Kernel reflection = parse_reflection(image::as_bytes(kernel->reflection));
  HmLoaded *loaded = nullptr;
  HmKernelCode code{};
  Bytes diagnostics(*compiler_);
  check(compiler_->load(view(kernel->object), view(kernel->reflection), &loaded, &code,
                        diagnostics.out()),
        diagnostics);
  return {std::move(reflection), code,
          std::shared_ptr<const void>(loaded, [compiler = compiler_, kernel = std::move(kernel)](
                                                  HmLoaded *last) { unload(*compiler, last); })};
}

void CompilerLibrary::warm_up() const {
  const CompilerCall call;
  Bytes diagnostics(*compiler_);
  check(compiler_->warm_up(diagnostics.out()), diagnostics);
}

} // namespace hostmetal::api

void hostmetal_open_compiler(void) {
  try {
    hostmetal::api::CompilerLibrary::open();
  } catch (const hostmetal::api::Failure &) {
    // The first compile says so.
  }
}

void hostmetal_warm_up_compiler(void) {
  try {
    hostmetal::api::CompilerLibrary::open().warm_up();
  } catch (const hostmetal::api::Failure &) {
    // The first compile says so.
  }
}
