#include "hostmetal/compiler/lowering/device_library.hpp"

#include "hostmetal/compiler/device/device_modules.hpp"
#include "hostmetal/compiler/lowering/kernel_error.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Object/IRObjectFile.h>
#include <llvm/Support/ErrorHandling.h>

using namespace llvm;

namespace hostmetal::lowering {
namespace {

/// The number of the module that defines each builtin, read off the symbol tables: to parse all
/// modules takes longer than to compile a small kernel.
const StringMap<size_t> &module_of_builtin() {
  static const auto &index = *[] {
    auto result = std::make_unique<StringMap<size_t>>();
    for (auto [number, bitcode] : enumerate(device::modules())) {
      Expected<object::IRSymtabFile> table =
          object::readIRSymtab(MemoryBufferRef(bitcode, "device library"));
      if (!table)
        report_fatal_error(table.takeError());
      for (const auto &symbol : table->TheReader.symbols())
        if (!symbol.isUndefined())
          result->try_emplace(symbol.getIRName(), number);
    }
    return result.release();
  }();
  return index;
}

Error link_module(Module &module, StringRef bitcode, ArrayRef<std::string> builtins) {
  Expected<std::unique_ptr<Module>> library =
      getLazyBitcodeModule(MemoryBufferRef(bitcode, "device library"), module.getContext());
  if (!library)
    return library.takeError();
  for (const std::string &name : builtins)
    if ((*library)->getFunction(name)->getFunctionType() !=
        module.getFunction(name)->getFunctionType())
      return kernel_error("The builtin \"" + name +
                          "\" is called with arguments that it does not take.");
  (*library)->setDataLayout(module.getDataLayout());
  (*library)->setTargetTriple(module.getTargetTriple());
  if (Linker::linkModules(module, std::move(*library), Linker::LinkOnlyNeeded))
    return createStringError("The device library does not link.");
  for (const std::string &name : builtins)
    module.getFunction(name)->setLinkage(GlobalValue::InternalLinkage);
  return Error::success();
}

} // namespace

Error link_device_library(Module &module) {
  MapVector<size_t, SmallVector<std::string>> builtins_of_module;
  for (const Function &function : module) {
    if (!function.isDeclaration() || function.isIntrinsic() || function.use_empty())
      continue;
    const auto found = module_of_builtin().find(function.getName());
    if (found != module_of_builtin().end())
      builtins_of_module[found->second].push_back(function.getName().str());
  }
  for (const auto &[number, builtins] : builtins_of_module)
    if (Error error = link_module(module, device::modules()[number], builtins))
      return error;
  return Error::success();
}

} // namespace hostmetal::lowering
