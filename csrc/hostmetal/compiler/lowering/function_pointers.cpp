#include "hostmetal/compiler/lowering/function_pointers.hpp"

#include "hostmetal/image/abi.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <cstddef>

using namespace llvm;

namespace hostmetal::lowering {
namespace {

// Ids of linked functions are below this.
constexpr uint64_t first_own_id = uint64_t{1} << 63;

template <class Replacement>
void replace_calls(Module &module, const char *name, Replacement &&replacement) {
  Function *builtin = module.getFunction(name);
  if (!builtin)
    return;
  for (User *user : make_early_inc_range(builtin->users()))
    if (auto *call = dyn_cast<CallInst>(user); call && call->getCalledFunction() == builtin) {
      IRBuilder<> builder(call);
      call->replaceAllUsesWith(replacement(builder, *call));
      call->eraseFromParent();
    }
}

Value *function_count(IRBuilder<> &builder, Value *table) {
  static_assert(offsetof(HmFunctionTable, count) == 0);
  return builder.CreateLoad(builder.getInt64Ty(), table);
}

/// What the standard library's visible_function_table calls, as reads of an HmFunctionTable.
void lower_tables(Module &module) {
  replace_calls(module, "air.get_function_pointer_visible_function_table",
                [](IRBuilder<> &builder, CallInst &call) {
                  static_assert(offsetof(HmFunctionTable, functions) == sizeof(uint64_t));
                  Value *table = call.getArgOperand(0);
                  Value *index = builder.CreateZExt(call.getArgOperand(1), builder.getInt64Ty());
                  Value *exists = builder.CreateICmpULT(index, function_count(builder, table));
                  // Of an index that is too large the count is read, and dropped.
                  Value *place = builder.CreateSelect(
                      exists, builder.CreateAdd(index, builder.getInt64(1)), builder.getInt64(0));
                  Value *id = builder.CreateLoad(
                      builder.getInt64Ty(), builder.CreateGEP(builder.getInt64Ty(), table, place));
                  return builder.CreateIntToPtr(
                      builder.CreateSelect(exists, id, builder.getInt64(0)), call.getType());
                });
  replace_calls(
      module, "air.get_size_visible_function_table", [](IRBuilder<> &builder, CallInst &call) {
        return builder.CreateTrunc(function_count(builder, call.getArgOperand(0)), call.getType());
      });
  replace_calls(module, "air.is_null_visible_function_table",
                [](IRBuilder<> &builder, CallInst &call) {
                  return builder.CreateIsNull(call.getArgOperand(0));
                });
}

/// Gives the functions whose address is taken numbers, and puts those in the addresses' places.
void number_own_functions(Module &module, std::vector<PointedFunction> &pointed) {
  const auto takes_address = [](const Use &use) {
    auto *call = dyn_cast<CallBase>(use.getUser());
    return !call || !call->isCallee(&use);
  };
  uint64_t next = first_own_id;
  for (Function &function : module) {
    if (function.isDeclaration() || none_of(function.uses(), takes_address))
      continue;
    pointed.push_back({next++, &function});
    Constant *id = ConstantExpr::getIntToPtr(
        ConstantInt::get(Type::getInt64Ty(module.getContext()), pointed.back().id),
        function.getType());
    function.replaceUsesWithIf(id, takes_address);
  }
}

/// Zeros for what a call hands back in memory.
void clear_result(IRBuilder<> &builder, CallInst &call) {
  Type *type = call.hasStructRetAttr() ? call.getParamStructRetType(0) : nullptr;
  if (!type)
    return;
  const DataLayout &layout = call.getModule()->getDataLayout();
  builder.CreateMemSet(call.getArgOperand(0), builder.getInt8(0), layout.getTypeAllocSize(type),
                       call.getParamAlign(0));
}

void choose_function(CallInst &call, ArrayRef<PointedFunction> pointed) {
  LLVMContext &context = call.getContext();
  IRBuilder<> builder(&call);
  Value *id = builder.CreatePtrToInt(call.getCalledOperand(), builder.getInt64Ty());
  BasicBlock *before = call.getParent();
  BasicBlock *after = before->splitBasicBlock(&call, "called");
  before->getTerminator()->eraseFromParent();

  auto *unknown = BasicBlock::Create(context, "unknown", before->getParent(), after);
  builder.SetInsertPoint(unknown);
  clear_result(builder, call);
  builder.CreateBr(after);
  builder.SetInsertPoint(before);
  SwitchInst *choice = builder.CreateSwitch(id, unknown);
  SmallVector<std::pair<Value *, BasicBlock *>> results;
  for (const PointedFunction &candidate : pointed) {
    if (candidate.function->getFunctionType() != call.getFunctionType())
      continue;
    auto *block =
        BasicBlock::Create(context, candidate.function->getName(), before->getParent(), after);
    builder.SetInsertPoint(block);
    auto *direct = cast<CallInst>(call.clone());
    direct->setCalledFunction(candidate.function);
    direct->setCallingConv(candidate.function->getCallingConv());
    builder.Insert(direct);
    builder.CreateBr(after);
    choice->addCase(builder.getInt64(candidate.id), block);
    results.emplace_back(direct, block);
  }
  if (!call.getType()->isVoidTy()) {
    builder.SetInsertPoint(after, after->begin());
    PHINode *result = builder.CreatePHI(call.getType(), static_cast<unsigned>(results.size() + 1));
    result->addIncoming(Constant::getNullValue(call.getType()), unknown);
    for (auto [value, block] : results)
      result->addIncoming(value, block);
    call.replaceAllUsesWith(result);
  }
  call.eraseFromParent();
}

} // namespace

void lower_function_pointers(AirKernel &kernel) {
  Module &module = *kernel.module;
  lower_tables(module);
  number_own_functions(module, kernel.pointed);
  SmallVector<CallInst *> calls;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (auto *call = dyn_cast<CallInst>(&instruction);
          call && !call->isInlineAsm() && !call->getCalledFunction())
        calls.push_back(call);
  for (CallInst *call : calls)
    choose_function(*call, kernel.pointed);
}

} // namespace hostmetal::lowering
