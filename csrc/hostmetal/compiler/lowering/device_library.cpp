#include "hostmetal/compiler/lowering/device_library.hpp"

#include "hostmetal/compiler/device/device_bitcode.hpp"
#include "hostmetal/compiler/lowering/kernel_error.hpp"

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Linker/Linker.h>

using namespace llvm;

namespace hostmetal::lowering {

Error link_device_library(Module &module) {
  auto may_be_in_library = [](const Function &function) {
    return function.isDeclaration() && !function.isIntrinsic() && !function.use_empty();
  };
  if (none_of(module, may_be_in_library))
    return Error::success();
  Expected<std::unique_ptr<Module>> library = getLazyBitcodeModule(
      MemoryBufferRef(device::bitcode(), "device library"), module.getContext());
  if (!library)
    return library.takeError();

  SmallVector<std::string> linked;
  for (const Function &wanted : module) {
    if (!may_be_in_library(wanted))
      continue;
    const Function *definition = (*library)->getFunction(wanted.getName());
    if (!definition || definition->isDeclaration())
      continue;
    if (definition->getFunctionType() != wanted.getFunctionType())
      return kernel_error("The builtin \"" + wanted.getName() +
                          "\" is called with arguments that it does not take.");
    linked.push_back(wanted.getName().str());
  }
  if (linked.empty())
    return Error::success();

  (*library)->setDataLayout(module.getDataLayout());
  (*library)->setTargetTriple(module.getTargetTriple());
  if (Linker::linkModules(module, std::move(*library), Linker::LinkOnlyNeeded))
    return createStringError("The device library does not link.");
  for (const std::string &name : linked)
    module.getFunction(name)->setLinkage(GlobalValue::InternalLinkage);
  return Error::success();
}

} // namespace hostmetal::lowering
