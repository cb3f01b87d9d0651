/// The kernels of a translation unit with what Metal needs to know of their arguments.
#pragma once

#include "clang/Basic/AddressSpaces.h"

#include <cstdint>
#include <string>
#include <vector>

namespace clang {
class FunctionDecl;
class ParmVarDecl;
class Sema;
class VarDecl;
} // namespace clang

namespace hostmetal::frontend {

enum class ArgumentKind : uint8_t {
  buffer,
  threadgroup_memory,
  texture,
  sampler,
  function_table,
  thread_value
};

struct ArgumentSignature {
  const clang::ParmVarDecl *parameter = nullptr;
  ArgumentKind kind = ArgumentKind::buffer;
  uint32_t array_length = 0;  ///< of an array of textures or samplers; 0: not an array
  uint32_t index = 0;         ///< [[buffer(n)]], [[texture(n)]], …; assigned if the source has none
  uint32_t address_space = 0; ///< AIR's: 1 device, 2 constant, 3 threadgroup
  std::string thread_attribute;              ///< of a thread value: "thread_position_in_grid", …
  const clang::VarDecl *predicate = nullptr; ///< of [[function_constant(name)]]
};

struct KernelSignature {
  clang::FunctionDecl *function = nullptr;
  bool is_kernel = true; ///< false: a [[visible]] function
  std::vector<std::string> host_names;
  uint32_t max_total_threads_per_threadgroup = 0;
  std::vector<ArgumentSignature> arguments;
};

/// AIR's number of an address space: 0 thread, 1 device, 2 constant, 3 threadgroup.
uint32_t air_address_space(clang::LangAS space);

/// Signatures of the kernels and visible functions among `functions`, in their order. Errors in
/// them are reported. MSL's annotations are taken off the declarations, so that no code is made for
/// them.
std::vector<KernelSignature> collect_kernels(const std::vector<clang::FunctionDecl *> &functions,
                                             clang::Sema &sema);

} // namespace hostmetal::frontend
