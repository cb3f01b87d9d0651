/// MSL source to AIR-form LLVM bitcode, in process, through clang's libraries.
///
/// AIR form as emitted here (what the lowering reads; Apple-built AIR has the same shape):
/// - One module per library, unoptimised, x86-64 triple and data layout, no target attributes.
///   Pointers are in address space 0, except for what is listed here.
/// - Kernels: `!air.kernel = !{!{ptr @name, !{}, !{arguments…}, attributes…}}`. The LLVM function
/// has
///   the kernel's host name, returns void and takes one parameter per argument: `ptr` for buffers,
///   threadgroup memory, textures and samplers, a scalar or `<N x iM>` for thread positions. All
///   other functions are internal. `!{!"air.max_work_group_size", i32 n}` is the one attribute.
///   Visible functions are in `!air.visible`, with the C++ ABI's parameters; those that are
///   declared here and defined elsewhere are called `name.MTL_VISIBLE_FN_REF`.
/// - Argument nodes begin with the argument's number; then keys as Apple's compiler writes them.
///   `air.address_space` is 1 (device), 2 (constant) or 3 (threadgroup) although the parameter is
///   in space 0. `air.struct_type_info` is a list of {offset, size, array length, type name, name}
///   of the members, each behind `!"air.struct_type_info", !node` if it is a struct itself. Structs
///   that hold pointers are `air.indirect_buffer`s: what is behind `!"air.indirect_argument"` after
///   each member says its [[id(n)]], alone for a struct, else first in an argument node.
/// - Threadgroup variables: internal globals in LLVM address space 3 with undefined initialisers,
///   used through constant `addrspacecast`s. They must be placed before any optimisation.
/// - Function constants: `@<mangled>.MTL_FC_INIT_<index>_<type code>`, externally_initialized, in
///   section `air.fc_initializer`; `!air.function_constants = !{!{ptr, !"type", !"name", i32 index,
///   i1 false}}`. Constants derived from them are set by `@llvm.global_ctors`, and
///   `i1 @air.is_function_constant_defined(ptr)` takes the constant's address.
/// - Builtins: calls of undefined `air.*` functions, scalar per element except where LLVM has a
///   vector operation of its own. Floating-point instructions carry the math mode's flags: safe
///   `contract`; relaxed all but `nnan ninf`; fast all. `air.fast_*` is called where the source
///   says `fast::` or where the mode is not safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hostmetal::frontend {

enum class MathMode : uint8_t { safe, relaxed, fast };

struct SourceRequest {
  std::string_view source;
  std::string name = "program_source"; ///< as diagnostics call the file
  std::vector<std::pair<std::string, std::string>> macros;
  uint32_t language_version = 3u << 16 | 2u; ///< MTLLanguageVersion: major << 16 | minor
  MathMode math_mode = MathMode::fast;
  bool enable_logging = false;            ///< else the functions of <metal_logging> do nothing
  std::vector<std::string> include_paths; ///< folders of the real file system; empty: none is read
};

struct FunctionConstant {
  std::string name;
  uint32_t index = 0;
  std::string type;        ///< as MSL spells it: "bool", "float4"
  bool is_required = true; ///< false: the source asks is_function_constant_defined
};

enum class FunctionKind : uint8_t { kernel, visible };

struct FunctionSummary {
  std::string name;
  FunctionKind kind = FunctionKind::kernel;
  uint32_t max_total_threads_per_threadgroup = 0; ///< 0: the source does not say
  std::vector<uint32_t> constants;                ///< indices of the function constants it uses
};

struct SourceResult {
  bool ok = false;
  bool is_internal_error = false; ///< the compiler crashed on this source, and was caught
  std::string diagnostics;        ///< errors and warnings in clang's form, with the user's lines
  std::string bitcode;            ///< empty unless ok; the same bytes in every process
  std::vector<FunctionSummary> functions;  ///< in the order of their definition
  std::vector<FunctionConstant> constants; ///< ascending index
};

/// Compiles one library. Thread-safe; blocks; never throws. Runs on a deep stack, where a crash of
/// the compiler becomes an internal error of this one request.
SourceResult compile_source(const SourceRequest &request);

/// Identifies the compiler and the standard library for cache keys.
std::string_view frontend_version();

} // namespace hostmetal::frontend
