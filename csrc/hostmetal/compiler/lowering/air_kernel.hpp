#pragma once

#include "hostmetal/image/reflection.hpp"

#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Module.h>

#include <memory>
#include <optional>
#include <vector>

namespace hostmetal::lowering {

/// A value that Metal computes for each thread, group or grid: the attribute of a kernel argument.
enum class Builtin {
  thread_position_in_grid,
  threads_per_grid,
  grid_origin,
  thread_position_in_threadgroup,
  thread_index_in_threadgroup,
  threads_per_threadgroup,
  dispatch_threads_per_threadgroup,
  threadgroup_position_in_grid,
  threadgroups_per_grid,
  thread_index_in_simdgroup,
  simdgroup_index_in_threadgroup,
  simdgroups_per_threadgroup,
  dispatch_simdgroups_per_threadgroup,
  threads_per_simdgroup,
  thread_index_in_quadgroup,
  quadgroup_index_in_threadgroup,
  quadgroups_per_threadgroup,
  dispatch_quadgroups_per_threadgroup,
};

/// What one IR parameter of a kernel stands for.
struct Parameter {
  unsigned number = 0;                       ///< of the IR parameter
  std::optional<Builtin> builtin;            ///< else it is an argument
  uint32_t slot = 0;                         ///< of the argument in image::Kernel::arguments
  bool is_threadgroup = false;               ///< an offset into threadgroup memory
  llvm::GlobalVariable *predicate = nullptr; ///< of [[function_constant(x)]]; zero: not there
};

/// A function that pointers may lead to.
struct PointedFunction {
  uint64_t id = 0; ///< the pointer's value
  llvm::Function *function = nullptr;
};

/// A kernel on its way through the passes. `function` always lives in `module`.
struct AirKernel {
  std::unique_ptr<llvm::Module> module;
  llvm::Function *function = nullptr;
  image::Kernel reflection;
  std::vector<Parameter> parameters;
  std::vector<PointedFunction> pointed; ///< the linked functions
};

/// Names of the functions through which device code reaches the executor, until they are lowered.
namespace intrinsic {
inline constexpr char prefix[] = "hm_"; ///< of these, and of the device library's own functions
inline constexpr char threadgroup_memory[] = "hm_threadgroup_memory";   ///< ptr ()
inline constexpr char threadgroup_barrier[] = "hm_threadgroup_barrier"; ///< void ()
inline constexpr char simd_exchange[] = "hm_simd_exchange";       ///< ptr (ptr value, i32 size)
inline constexpr char simd_exchange_at[] = "hm_simd_exchange_at"; ///< ptr (i64 site, ptr, i32)
inline constexpr char lane[] = "hm_thread_index_in_simdgroup";    ///< i32 ()
inline constexpr char log[] = "hm_log"; ///< void (ptr, ptr, i32, ptr, ptr, i64), as air.os_log
// HmRuntime's functions of these names, whose parameters they have.
inline constexpr char load_texel[] = "hm_load_texel";
inline constexpr char store_texel[] = "hm_store_texel";
inline constexpr char look_up_texture[] = "hm_look_up_texture";
inline constexpr char predicate[] = "hm_argument_predicate"; ///< void (i32 parameter, i8 value)
} // namespace intrinsic

} // namespace hostmetal::lowering
