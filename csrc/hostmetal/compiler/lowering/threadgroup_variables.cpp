#include "hostmetal/compiler/lowering/threadgroup_variables.hpp"

#include "hostmetal/compiler/lowering/flatten_address_spaces.hpp"
#include "hostmetal/compiler/lowering/kernel_error.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/ReplaceConstant.h>

#include <algorithm>

using namespace llvm;

namespace hostmetal::lowering {
namespace {

FunctionCallee memory_intrinsic(Module &module) {
  FunctionCallee callee = module.getOrInsertFunction(intrinsic::threadgroup_memory,
                                                     PointerType::get(module.getContext(), 0));
  auto *function = cast<Function>(callee.getCallee());
  function->setDoesNotAccessMemory();
  function->setDoesNotThrow();
  function->setWillReturn();
  function->addFnAttr(Attribute::Speculatable);
  return callee;
}

/// The address of one variable, computed at the entry of the functions that use it.
class Address {
public:
  Address(FunctionCallee memory, uint64_t offset) : memory_(memory), offset_(offset) {}

  Value *in(Function &function) {
    Value *&address = addresses_[&function];
    if (!address) {
      IRBuilder<> builder(&*function.getEntryBlock().getFirstInsertionPt());
      Value *base = builder.CreateCall(memory_);
      address = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), base, offset_);
    }
    return address;
  }

private:
  FunctionCallee memory_;
  uint64_t offset_;
  DenseMap<Function *, Value *> addresses_;
};

} // namespace

Error lower_threadgroup_variables(AirKernel &kernel) {
  Module &module = *kernel.module;
  SmallVector<GlobalVariable *> variables;
  for (GlobalVariable &variable : module.globals())
    if (variable.getSection() == threadgroup_section)
      variables.push_back(&variable);
  if (variables.empty())
    return Error::success();

  convertUsersOfConstantsToInstructions(
      SmallVector<Constant *>(variables.begin(), variables.end()));
  FunctionCallee memory = memory_intrinsic(module);
  const DataLayout &layout = module.getDataLayout();
  uint64_t end = 0;
  for (GlobalVariable *variable : variables) {
    variable->removeDeadConstantUsers();
    if (variable->use_empty())
      continue;
    uint64_t offset = alignTo(end, layout.getPreferredAlign(variable));
    end = offset + layout.getTypeAllocSize(variable->getValueType());
    Address address(memory, offset);
    for (Use &use : make_early_inc_range(variable->uses())) {
      auto *user = dyn_cast<Instruction>(use.getUser());
      if (!user)
        return kernel_error("The initial value of a variable in kernel \"" +
                            kernel.reflection.name +
                            "\" holds the address of a threadgroup variable.");
      use.set(address.in(*user->getFunction()));
    }
  }
  for (GlobalVariable *variable : variables)
    variable->eraseFromParent();
  // Dynamic arguments follow at multiples of 16 bytes. What is too much is refused once there is
  // code (codegen/emit_object).
  kernel.reflection.static_threadgroup_memory =
      static_cast<uint32_t>(std::min<uint64_t>(alignTo(end, 16), UINT32_MAX));
  return Error::success();
}

} // namespace hostmetal::lowering
