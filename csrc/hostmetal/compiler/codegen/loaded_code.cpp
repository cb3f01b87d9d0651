#include "hostmetal/compiler/codegen/loaded_code.hpp"

#include "hostmetal/compiler/codegen/host_symbols.hpp"
#include "hostmetal/compiler/lowering/form_entry.hpp"

#include <llvm/ExecutionEngine/JITLink/JITLink.h>
#include <llvm/Support/Process.h>

#include <string>

using namespace llvm;

namespace hostmetal::codegen {

/// What the linker asks while it places one object. The linker owns it, and with in-process memory
/// it is done with it when jitlink::link returns.
class LoadedCode::Context : public jitlink::JITLinkContext {
public:
  Context(LoadedCode &code, Error &error) : JITLinkContext(nullptr), code_(code), error_(error) {}

  jitlink::JITLinkMemoryManager &getMemoryManager() override { return *code_.memory_; }

  void notifyFailed(Error error) override {
    error_ = joinErrors(std::move(error_), std::move(error));
  }

  void lookup(const LookupMap &symbols,
              std::unique_ptr<jitlink::JITLinkAsyncLookupContinuation> done) override {
    jitlink::AsyncLookupResult found;
    for (const auto &[name, flags] : symbols) {
      void *address = host_symbol(name);
      if (!address && flags == jitlink::SymbolLookupFlags::RequiredSymbol) {
        done->run(createStringError("The code needs the function \"" + name +
                                    "\", which the C library does not have."));
        return;
      }
      found[name] = {orc::ExecutorAddr::fromPtr(address), JITSymbolFlags::Exported};
    }
    done->run(std::move(found));
  }

  Error notifyResolved(jitlink::LinkGraph &graph) override {
    for (jitlink::Symbol *symbol : graph.defined_symbols()) {
      if (!symbol->hasName())
        continue;
      if (symbol->getName().starts_with(lowering::row_entry_prefix))
        code_.code_.row = symbol->getAddress().toPtr<HmRowFunction>();
      else if (symbol->getName().starts_with(lowering::thread_entry_prefix))
        code_.code_.thread = symbol->getAddress().toPtr<HmThreadFunction>();
    }
    if ((code_.code_.row == nullptr) == (code_.code_.thread == nullptr))
      return createStringError("The object does not define exactly one kernel.");
    return Error::success();
  }

  void notifyFinalized(jitlink::JITLinkMemoryManager::FinalizedAlloc allocation) override {
    code_.allocation_ = std::move(allocation);
  }

private:
  LoadedCode &code_;
  Error &error_;
};

LoadedCode::LoadedCode(std::unique_ptr<jitlink::JITLinkMemoryManager> memory)
    : memory_(std::move(memory)) {}

LoadedCode::~LoadedCode() {
  if (!allocation_)
    return;
  std::vector<jitlink::JITLinkMemoryManager::FinalizedAlloc> allocations;
  allocations.push_back(std::move(allocation_));
  // Unmapping fails only for addresses that were never mapped.
  memory_->deallocate(std::move(allocations), [](Error error) { consumeError(std::move(error)); });
}

Expected<std::unique_ptr<LoadedCode>> LoadedCode::load(StringRef object) {
  Expected<std::unique_ptr<jitlink::LinkGraph>> graph =
      jitlink::createLinkGraphFromObject(MemoryBufferRef(object, "kernel"));
  if (!graph)
    return graph.takeError();
  Expected<unsigned> page_size = sys::Process::getPageSize();
  if (!page_size)
    return page_size.takeError();
  std::unique_ptr<LoadedCode> loaded(
      new LoadedCode(std::make_unique<jitlink::InProcessMemoryManager>(*page_size)));
  Error error = Error::success();
  jitlink::link(std::move(*graph), std::make_unique<Context>(*loaded, error));
  if (error)
    return std::move(error);
  return loaded;
}

} // namespace hostmetal::codegen
