#include "hostmetal/compiler/lowering/lower_kernel.hpp"

#include "hostmetal/compiler/lowering/atomics.hpp"
#include "hostmetal/compiler/lowering/conversions.hpp"
#include "hostmetal/compiler/lowering/device_library.hpp"
#include "hostmetal/compiler/lowering/division.hpp"
#include "hostmetal/compiler/lowering/extract_kernel.hpp"
#include "hostmetal/compiler/lowering/flatten_address_spaces.hpp"
#include "hostmetal/compiler/lowering/form_entry.hpp"
#include "hostmetal/compiler/lowering/inline_calls.hpp"
#include "hostmetal/compiler/lowering/kernel_error.hpp"
#include "hostmetal/compiler/lowering/kernel_reflection.hpp"
#include "hostmetal/compiler/lowering/narrow_float_storage.hpp"
#include "hostmetal/compiler/lowering/narrow_floats.hpp"
#include "hostmetal/compiler/lowering/native_attributes.hpp"
#include "hostmetal/compiler/lowering/simd_sites.hpp"
#include "hostmetal/compiler/lowering/simdgroup_matrix.hpp"
#include "hostmetal/compiler/lowering/simplify_kernel.hpp"
#include "hostmetal/compiler/lowering/static_initialisers.hpp"
#include "hostmetal/compiler/lowering/threadgroup_variables.hpp"
#include "hostmetal/compiler/lowering/unknown_builtins.hpp"
#include "hostmetal/compiler/lowering/vector_builtins.hpp"

#include <llvm/MC/MCSubtargetInfo.h>

using namespace llvm;

namespace hostmetal::lowering {

Expected<AirKernel> lower_kernel(LLVMContext &context, MemoryBufferRef bitcode, StringRef name,
                                 ArrayRef<ConstantValue> constants, const TargetMachine &target) {
  Expected<std::unique_ptr<Module>> module = extract_kernel(context, bitcode, name);
  if (!module)
    return module.takeError();
  // Before anything computes sizes or offsets; the layouts agree where AIR's types are concerned.
  (*module)->setDataLayout(target.createDataLayout());
  (*module)->setTargetTriple(target.getTargetTriple().str());
  (*module)->setModuleIdentifier(name);
  (*module)->setSourceFileName(name);
  // Before reflection, which keeps pointers to globals that this replaces.
  flatten_address_spaces(**module);
  Expected<AirKernel> kernel = reflect_kernel(std::move(*module));
  if (!kernel)
    return kernel.takeError();
  strip_foreign_attributes(*kernel);

  // Before the constructors join the kernel: their loads of function constants are in it then.
  if (Error error = specialise_function_constants(*kernel, constants))
    return std::move(error);
  run_static_initialisers(*kernel);
  // Before any optimisation: to LLVM these variables are private to the program, so it would
  // forward stores across barriers and delete what only other threads read.
  if (Error error = lower_threadgroup_variables(*kernel))
    return std::move(error);

  // Vectors first: they leave calls of scalar builtins behind, for all that follows.
  lower_conversions(*kernel->module);
  lower_simdgroup_matrices(*kernel->module);
  expand_vector_builtins(*kernel->module);
  lower_atomics(*kernel->module);
  if (Error error = link_device_library(*kernel->module))
    return std::move(error);
  strip_foreign_attributes(*kernel);

  if (Error error = inline_calls(*kernel))
    return std::move(error);
  // With the device library's divisions, and before an optimisation builds on that none traps.
  guard_divisions(*kernel);
  // Needs all uses of those variables to be in the kernel.
  privatise_static_variables(*kernel);
  simplify_kernel(*kernel);
  // What is still used now is used: constants without a value, unknown builtins, arguments.
  if (Error error = require_function_constants(*kernel))
    return std::move(error);
  apply_predicates(*kernel);
  if (Error error = reject_unknown_builtins(*kernel))
    return std::move(error);

  // Before loops around the body exist, and before optimisation copies or merges call sites.
  number_simd_sites(*kernel);
  form_entry(*kernel);
  // After the last pass that makes conversions, before optimisation, which then sees plain ones.
  lower_narrow_floats(*kernel, processor_converts_half(target));
  store_narrow_floats_as_integers(*kernel, processor_converts_half(target));
  set_native_attributes(*kernel, target);
  return kernel;
}

} // namespace hostmetal::lowering
