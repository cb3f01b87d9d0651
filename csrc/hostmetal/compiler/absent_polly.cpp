#include <llvm/Passes/PassPlugin.h>

// clang's and lld's pipelines ask for Polly when Debian builds them. Nothing here runs those, so
// Polly, with its hundred options that register themselves when the library is opened, stays out.
llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "Polly", LLVM_VERSION_STRING, [](llvm::PassBuilder &) {}};
}
