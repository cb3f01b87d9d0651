#include "hostmetal/compiler/frontend/instance.hpp"

#include "hostmetal/compiler/frontend/embedded_library.hpp"

#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Basic/TargetInfo.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "clang/Serialization/InMemoryModuleCache.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/VirtualFileSystem.h"

namespace hostmetal::frontend {
namespace {

constexpr char header_folder[] = "/metal/include";

// What makes stock clang a compiler for MSL. The precompiled header is valid only for the same set,
// so everything that differs between compiles (macros, math mode, language version) is elsewhere.
constexpr const char *arguments[] = {
    "-triple", "x86_64-unknown-linux-gnu", "-x", "c++", "-std=c++17",
    // Real, distinct address spaces in ordinary C++. A device has a host, whose types it mangles.
    "-fsycl-is-device", "-sycl-std=2020", "-aux-triple", "x86_64-unknown-linux-gnu",
    // Properties, for swizzles.
    "-fdeclspec",
    // Operations on half and bfloat are rounded one by one, as in AIR.
    "-ffloat16-excess-precision=none", "-fbfloat16-excess-precision=none", "-ffp-contract=fast",
    "-fno-rtti", "-mconstructor-aliases", "-fno-strict-float-cast-overflow",
    "-fno-threadsafe-statics", "-fno-builtin", "-nostdsysteminc", "-nobuiltininc", "-nostdinc++",
    "-relaxed-aliasing", "-mrelocation-model", "pic", "-pic-level", "2",
    // Unoptimised IR that is fit to be optimised later.
    "-O2", "-disable-llvm-passes", "-disable-lifetime-markers", "-emit-llvm-only",
    // Bounds on what a source can make the compiler do.
    "-ftemplate-depth=1024", "-fconstexpr-depth=512", "-fconstexpr-steps=1048576",
    "-fbracket-depth", "1024", "-ferror-limit", "50", "-ftemplate-backtrace-limit=10",
    "-fmessage-length=0", "-fno-elide-type", "-fno-pch-timestamp",
    // Otherwise every compile instantiates again what the standard library left pending.
    "-fpch-instantiate-templates",
    // Consequences of the mapping that mean nothing to the author of a kernel.
    "-Wno-duplicate-decl-specifier", "-Wno-psabi", "-Wno-unknown-pragmas", "-Wno-c99-extensions",
    "-Wno-c++20-extensions", "-Wno-c++23-extensions", "-Wno-unused-value", "-Wno-undefined-inline",
    "-Wno-undefined-internal", "-Wno-return-type-c-linkage", "-Wno-missing-declarations",
    "-Wno-unsupported-floating-point-opt", "-Wno-undefined-var-template", "-Wno-static-in-inline",
    "-Wno-vla-cxx-extension",
    // Apple's compiler rejects what it does not know.
    "-Werror=unknown-attributes"};

using FileSystem = llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>;

FileSystem make_header_files() {
  auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  const auto add = [&](const llvm::Twine &path, std::string_view text) {
    memory->addFileNoOwn(path, 0, llvm::MemoryBufferRef(text, path.str()));
  };
  for (const EmbeddedHeader &header : embedded_headers())
    add(llvm::Twine(header_folder) + "/" + header.name, header.text);
  add(prefix_header_path, prefix_header_text);
  return memory;
}

/// File systems that are read by several threads: an overlay would set their folder.
class Shared final : public llvm::vfs::ProxyFileSystem {
public:
  using ProxyFileSystem::ProxyFileSystem;
  std::error_code setCurrentWorkingDirectory(const llvm::Twine &) override { return {}; }
};

/// The headers, and the disk below them if `reads_disk`.
FileSystem file_system(bool reads_disk) {
  static const FileSystem &headers = *new FileSystem(make_header_files());
  if (!reads_disk)
    return headers;
  auto overlay =
      llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(llvm::vfs::getRealFileSystem());
  overlay->pushOverlay(llvm::makeIntrusiveRefCnt<Shared>(headers));
  return overlay;
}

/// The arguments, parsed: that takes longer than reading the precompiled header.
const clang::CompilerInvocation &parsed_arguments() {
  static const clang::CompilerInvocation &invocation = *[] {
    auto parsed = std::make_unique<clang::CompilerInvocation>();
    clang::DiagnosticsEngine setup(llvm::makeIntrusiveRefCnt<clang::DiagnosticIDs>(),
                                   llvm::makeIntrusiveRefCnt<clang::DiagnosticOptions>(),
                                   new clang::IgnoringDiagConsumer);
    clang::CompilerInvocation::CreateFromArgs(*parsed, arguments, setup);
    parsed->getHeaderSearchOpts().AddPath(header_folder, clang::frontend::System,
                                          /*IsFramework=*/false, /*IgnoreSysRoot=*/true);
    return parsed.release();
  }();
  return invocation;
}

/// As if it had just been built: a file of the virtual file system would be hashed, all 9 MB of it.
void add_precompiled_header(clang::CompilerInstance &compiler, std::string_view bytes) {
  compiler.getFileManager().getVirtualFileRef(precompiled_header_path,
                                              static_cast<off_t>(bytes.size()), 0);
  compiler.getModuleCache().addBuiltPCM(
      precompiled_header_path, llvm::MemoryBuffer::getMemBuffer(bytes, precompiled_header_path));
}

} // namespace

Instance::Instance(const std::string &main_name, const std::vector<std::string> &include_paths,
                   std::string_view precompiled)
    : compiler_(std::make_unique<clang::CompilerInstance>()) {
  clang::CompilerInvocation &invocation = compiler_->getInvocation();
  invocation = parsed_arguments();
  for (const std::string &path : include_paths)
    invocation.getHeaderSearchOpts().AddPath(path, clang::frontend::Angled,
                                             /*IsFramework=*/false, /*IgnoreSysRoot=*/true);
  invocation.getFrontendOpts().Inputs.assign(
      1, clang::FrontendInputFile(main_name, clang::Language::CXX));

  compiler_->createDiagnostics(
      new clang::TextDiagnosticPrinter(stream_, &compiler_->getDiagnosticOpts()));
  compiler_->createFileManager(file_system(!include_paths.empty()));
  compiler_->createSourceManager(compiler_->getFileManager());
  compiler_->createTarget();
  if (!precompiled.empty())
    add_precompiled_header(*compiler_, precompiled);
}

Instance::~Instance() = default;

std::string Instance::take_diagnostics() {
  stream_.flush();
  return std::move(text_);
}

} // namespace hostmetal::frontend
