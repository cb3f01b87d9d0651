#pragma once

#include "hostmetal/compiler/lowering/air_kernel.hpp"

#include <llvm/IR/IRBuilder.h>

#include <array>

namespace hostmetal::lowering {

using Vector3 = std::array<llvm::Value *, 3>;

/// Reads of HmGrid, HmGroup and HmThreadHead as IR, in the layouts of abi.h. All of it stays as it
/// is while a group runs, so the loads may move freely.
class DispatchValues {
public:
  /// `group` is a pointer to an HmGroup; loads are emitted where `builder` stands.
  DispatchValues(llvm::IRBuilder<> &builder, llvm::Value *group);

  /// ptr: the bound bytes, of which there are at least `size` (0: unknown), so aligned.
  llvm::Value *argument(uint32_t slot, uint64_t size, uint64_t alignment);
  llvm::Value *threadgroup_argument(uint32_t slot); ///< ptr: into the group's memory
  llvm::Value *threadgroup_memory() { return memory_; }
  llvm::Value *runtime_function(uint64_t offset); ///< of the pointer in HmRuntime
  llvm::Value *log();                             ///< HmGrid.log
  Vector3 threads_per_grid();
  Vector3 threadgroups_per_grid();
  Vector3 dispatch_threads_per_threadgroup();
  Vector3 origin();
  Vector3 position();
  Vector3 size();
  Vector3 thread_position(llvm::Value *thread); ///< HmThreadHead.position
  llvm::Value *thread_index(llvm::Value *thread);
  llvm::Value *stack_limit(llvm::Value *thread); ///< ptr

private:
  llvm::Value *load(llvm::Type *type, llvm::Value *base, uint64_t offset);
  Vector3 load3(llvm::Value *base, uint64_t offset);

  llvm::IRBuilder<> &builder_;
  llvm::Value *group_, *grid_, *arguments_, *memory_;
};

/// Where a thread is: what the values of its builtins are computed from.
struct ThreadPlace {
  Vector3 grid_position;  ///< thread_position_in_grid
  Vector3 group_position; ///< thread_position_in_threadgroup
  llvm::Value *index;     ///< thread_index_in_threadgroup
};

/// The value of a builtin, as `type`: a scalar or vector of integers, a coerced form of it, or a
/// pointer to it.
llvm::Value *builtin_value(llvm::IRBuilder<> &builder, DispatchValues &dispatch,
                           const ThreadPlace &place, Builtin builtin, llvm::Type *type);

/// True for builtins that are the same however the grid is cut into threadgroups.
bool is_independent_of_groups(Builtin builtin);

} // namespace hostmetal::lowering
