#include "hostmetal/compiler/lowering/dispatch_values.hpp"

#include "hostmetal/compiler/lowering/coerce.hpp"
#include "hostmetal/image/abi.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <cstddef>

using namespace llvm;

namespace hostmetal::lowering {

DispatchValues::DispatchValues(IRBuilder<> &builder, Value *group)
    : builder_(builder), group_(group) {
  grid_ = load(builder.getPtrTy(), group, offsetof(HmGroup, grid));
  arguments_ = load(builder.getPtrTy(), grid_, offsetof(HmGrid, arguments));
  memory_ = load(builder.getPtrTy(), group, offsetof(HmGroup, threadgroup_memory));
}

Value *DispatchValues::load(Type *type, Value *base, uint64_t offset) {
  Value *address = builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), base, offset);
  LoadInst *value = builder_.CreateLoad(type, address);
  value->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(builder_.getContext(), {}));
  return value;
}

Vector3 DispatchValues::load3(Value *base, uint64_t offset) {
  Vector3 result;
  for (unsigned i = 0; i < 3; ++i)
    result[i] = load(builder_.getInt32Ty(), base, offset + i * sizeof(uint32_t));
  return result;
}

Value *DispatchValues::argument(uint32_t slot, uint64_t size, uint64_t alignment) {
  auto *address = cast<LoadInst>(load(builder_.getPtrTy(), arguments_, slot * sizeof(void *)));
  if (size > 0) {
    LLVMContext &context = builder_.getContext();
    auto number = [&](uint64_t value) {
      return MDNode::get(context, ConstantAsMetadata::get(builder_.getInt64(value)));
    };
    address->setMetadata(LLVMContext::MD_dereferenceable, number(size));
    if (isPowerOf2_64(alignment))
      address->setMetadata(LLVMContext::MD_align, number(alignment));
    address->setMetadata(LLVMContext::MD_nonnull, MDNode::get(context, {}));
  }
  return address;
}
Value *DispatchValues::threadgroup_argument(uint32_t slot) {
  Value *offset = load(builder_.getInt64Ty(), arguments_, slot * sizeof(void *));
  return builder_.CreateInBoundsGEP(builder_.getInt8Ty(), memory_, offset);
}
Value *DispatchValues::runtime_function(uint64_t offset) {
  return load(builder_.getPtrTy(), load(builder_.getPtrTy(), grid_, offsetof(HmGrid, runtime)),
              offset);
}
Value *DispatchValues::log() {
  return load(builder_.getPtrTy(), grid_, offsetof(HmGrid, log));
}
Vector3 DispatchValues::threads_per_grid() {
  return load3(grid_, offsetof(HmGrid, threads_per_grid));
}
Vector3 DispatchValues::threadgroups_per_grid() {
  return load3(grid_, offsetof(HmGrid, threadgroups_per_grid));
}
Vector3 DispatchValues::dispatch_threads_per_threadgroup() {
  return load3(grid_, offsetof(HmGrid, threads_per_threadgroup));
}
Vector3 DispatchValues::origin() {
  return load3(group_, offsetof(HmGroup, origin));
}
Vector3 DispatchValues::position() {
  return load3(group_, offsetof(HmGroup, position));
}
Vector3 DispatchValues::size() {
  return load3(group_, offsetof(HmGroup, size));
}
Vector3 DispatchValues::thread_position(Value *thread) {
  return load3(thread, offsetof(HmThreadHead, position));
}
Value *DispatchValues::thread_index(Value *thread) {
  return load(builder_.getInt32Ty(), thread, offsetof(HmThreadHead, index));
}
Value *DispatchValues::stack_limit(Value *thread) {
  return load(builder_.getPtrTy(), thread, offsetof(HmThreadHead, stack_limit));
}

namespace {

constexpr uint32_t quad_width = 4;

Value *product(IRBuilder<> &builder, Vector3 size) {
  return builder.CreateMul(builder.CreateMul(size[0], size[1]), size[2]);
}

Value *divide_up(IRBuilder<> &builder, Value *value, uint32_t divisor) {
  return builder.CreateUDiv(builder.CreateAdd(value, builder.getInt32(divisor - 1)),
                            builder.getInt32(divisor));
}

/// The three components, or one scalar and two nulls.
Vector3 components(IRBuilder<> &builder, DispatchValues &dispatch, const ThreadPlace &place,
                   Builtin builtin) {
  auto scalar = [](Value *value) { return Vector3{value, nullptr, nullptr}; };
  Value *width = builder.getInt32(HM_SIMD_WIDTH);
  switch (builtin) {
  case Builtin::thread_position_in_grid:
    return place.grid_position;
  case Builtin::threads_per_grid:
    return dispatch.threads_per_grid();
  case Builtin::grid_origin:
    return {builder.getInt32(0), builder.getInt32(0), builder.getInt32(0)};
  case Builtin::thread_position_in_threadgroup:
    return place.group_position;
  case Builtin::thread_index_in_threadgroup:
    return scalar(place.index);
  case Builtin::threads_per_threadgroup:
    return dispatch.size();
  case Builtin::dispatch_threads_per_threadgroup:
    return dispatch.dispatch_threads_per_threadgroup();
  case Builtin::threadgroup_position_in_grid:
    return dispatch.position();
  case Builtin::threadgroups_per_grid:
    return dispatch.threadgroups_per_grid();
  case Builtin::thread_index_in_simdgroup:
    return scalar(builder.CreateURem(place.index, width));
  case Builtin::simdgroup_index_in_threadgroup:
    return scalar(builder.CreateUDiv(place.index, width));
  case Builtin::simdgroups_per_threadgroup:
    return scalar(divide_up(builder, product(builder, dispatch.size()), HM_SIMD_WIDTH));
  case Builtin::dispatch_simdgroups_per_threadgroup:
    return scalar(divide_up(builder, product(builder, dispatch.dispatch_threads_per_threadgroup()),
                            HM_SIMD_WIDTH));
  case Builtin::threads_per_simdgroup:
    return scalar(width);
  case Builtin::thread_index_in_quadgroup:
    return scalar(builder.CreateURem(place.index, builder.getInt32(quad_width)));
  case Builtin::quadgroup_index_in_threadgroup:
    return scalar(builder.CreateUDiv(place.index, builder.getInt32(quad_width)));
  case Builtin::quadgroups_per_threadgroup:
    return scalar(divide_up(builder, product(builder, dispatch.size()), quad_width));
  case Builtin::dispatch_quadgroups_per_threadgroup:
    return scalar(divide_up(builder, product(builder, dispatch.dispatch_threads_per_threadgroup()),
                            quad_width));
  }
  llvm_unreachable("every builtin has its case");
}

/// The integer form of a parameter type that is not one itself: vectors of 32 bits.
Type *integer_form(IRBuilder<> &builder, Type *type, const DataLayout &layout) {
  uint64_t bytes = layout.getTypeAllocSize(type).getFixedValue();
  unsigned count = std::clamp<unsigned>(static_cast<unsigned>(bytes / 4), 1, 3);
  return count == 1 ? static_cast<Type *>(builder.getInt32Ty())
                    : FixedVectorType::get(builder.getInt32Ty(), count);
}

} // namespace

Value *builtin_value(IRBuilder<> &builder, DispatchValues &dispatch, const ThreadPlace &place,
                     Builtin builtin, Type *type) {
  Vector3 parts = components(builder, dispatch, place, builtin);
  if (auto *integer = dyn_cast<IntegerType>(type); integer && integer->getBitWidth() <= 32)
    return builder.CreateZExtOrTrunc(parts[0], type);
  Type *form = type;
  if (!type->isIntOrIntVectorTy() || !type->isVectorTy()) {
    const DataLayout &layout = builder.GetInsertBlock()->getModule()->getDataLayout();
    form = type->isPointerTy() ? FixedVectorType::get(builder.getInt32Ty(), 3)
                               : integer_form(builder, type, layout);
  }
  if (form->isIntegerTy())
    return coerce(builder, builder.CreateZExtOrTrunc(parts[0], form), type);
  auto *vector_type = cast<FixedVectorType>(form);
  Value *vector = Constant::getNullValue(vector_type);
  for (unsigned i = 0; i < std::min(vector_type->getNumElements(), 3u); ++i)
    if (parts[i])
      vector = builder.CreateInsertElement(
          vector, builder.CreateZExtOrTrunc(parts[i], vector_type->getElementType()), i);
  if (!type->isPointerTy())
    return coerce(builder, vector, type);
  BasicBlock &entry = builder.GetInsertBlock()->getParent()->getEntryBlock();
  IRBuilder<> at_entry(&entry, entry.getFirstInsertionPt());
  AllocaInst *memory = at_entry.CreateAlloca(vector_type);
  memory->setAlignment(Align(16));
  builder.CreateStore(vector, memory);
  return memory;
}

bool is_independent_of_groups(Builtin builtin) {
  switch (builtin) {
  case Builtin::thread_position_in_grid:
  case Builtin::threads_per_grid:
  case Builtin::grid_origin:
  case Builtin::threads_per_simdgroup:
    return true;
  default:
    return false;
  }
}

} // namespace hostmetal::lowering
