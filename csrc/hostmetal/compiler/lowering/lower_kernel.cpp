#include "hostmetal/compiler/lowering/lower_kernel.hpp"

#include "hostmetal/compiler/lowering/atomics.hpp"
#include "hostmetal/compiler/lowering/conversions.hpp"
#include "hostmetal/compiler/lowering/device_library.hpp"
#include "hostmetal/compiler/lowering/division.hpp"
#include "hostmetal/compiler/lowering/extract_kernel.hpp"
#include "hostmetal/compiler/lowering/flatten_address_spaces.hpp"
#include "hostmetal/compiler/lowering/form_entry.hpp"
#include "hostmetal/compiler/lowering/function_pointers.hpp"
#include "hostmetal/compiler/lowering/inline_calls.hpp"
#include "hostmetal/compiler/lowering/kernel_error.hpp"
#include "hostmetal/compiler/lowering/kernel_reflection.hpp"
#include "hostmetal/compiler/lowering/narrow_float_storage.hpp"
#include "hostmetal/compiler/lowering/narrow_floats.hpp"
#include "hostmetal/compiler/lowering/native_attributes.hpp"
#include "hostmetal/compiler/lowering/scalar_alignment.hpp"
#include "hostmetal/compiler/lowering/simd_sites.hpp"
#include "hostmetal/compiler/lowering/simdgroup_matrix.hpp"
#include "hostmetal/compiler/lowering/simplify_kernel.hpp"
#include "hostmetal/compiler/lowering/static_initialisers.hpp"
#include "hostmetal/compiler/lowering/textures.hpp"
#include "hostmetal/compiler/lowering/threadgroup_variables.hpp"
#include "hostmetal/compiler/lowering/unknown_builtins.hpp"
#include "hostmetal/compiler/lowering/vector_builtins.hpp"

using namespace llvm;

namespace hostmetal::lowering {
namespace {

using Context = const PassContext &;

/// A pass that cannot fail.
template <void (*run)(AirKernel &)> Error on_kernel(AirKernel &kernel, Context) {
  run(kernel);
  return Error::success();
}
template <void (*run)(AirKernel &, const TargetMachine &)>
Error for_target(AirKernel &kernel, Context context) {
  run(kernel, context.target);
  return Error::success();
}
template <void (*run)(Module &)> Error on_module(AirKernel &kernel, Context) {
  run(*kernel.module);
  return Error::success();
}
template <Error (*run)(AirKernel &)> Error on_kernel(AirKernel &kernel, Context) {
  return run(kernel);
}
template <Error (*run)(const AirKernel &)> Error check(AirKernel &kernel, Context) {
  return run(kernel);
}

constexpr KernelPass passes[] = {
    {"strip_foreign_attributes", on_kernel<strip_foreign_attributes>},

    // Before the constructors join the kernel: their loads of function constants are in it then.
    {"specialise_function_constants",
     [](AirKernel &kernel, Context context) {
       return specialise_function_constants(kernel, context.constants);
     }},
    // Each with its own library's constants, and before their constructors join the kernel.
    {"link_functions",
     [](AirKernel &kernel, Context context) { return link_functions(kernel, context.linked); }},
    {"run_static_initialisers", on_kernel<run_static_initialisers>},
    // Once no constructor is named by its address. From here on no function but the kernel is there
    // for anything but to be inlined.
    {"lower_function_pointers", on_kernel<lower_function_pointers>},
    // Before any optimisation: to LLVM these variables are private to the program, so it would
    // forward stores across barriers and delete what only other threads read.
    {"lower_threadgroup_variables", on_kernel<lower_threadgroup_variables>},

    // Vectors first: they leave calls of scalar builtins behind, for all that follows.
    {"lower_conversions", on_module<lower_conversions>},
    {"lower_simdgroup_matrices", on_module<lower_simdgroup_matrices>},
    {"lower_textures", on_module<lower_textures>},
    {"expand_vector_builtins", on_module<expand_vector_builtins>},
    {"lower_atomics", on_module<lower_atomics>},
    {"link_device_library",
     [](AirKernel &kernel, Context) { return link_device_library(*kernel.module); }},
    // Those that the library's functions brought.
    {"strip_foreign_attributes", on_kernel<strip_foreign_attributes>},

    // Before any optimisation, which would derive more from what is promised here.
    {"assume_scalar_alignment", on_kernel<assume_scalar_alignment>},
    {"inline_calls", on_kernel<inline_calls>},
    // With the device library's divisions, and before an optimisation builds on that none traps.
    {"guard_divisions", on_kernel<guard_divisions>},
    // Needs all uses of those variables to be in the kernel.
    {"privatise_static_variables", on_kernel<privatise_static_variables>},
    {"simplify_kernel", on_kernel<simplify_kernel>},
    // What is still used now is used: constants without a value, unknown builtins, arguments.
    {"require_function_constants", check<require_function_constants>},
    {"apply_predicates", on_kernel<apply_predicates>},
    {"reject_unknown_builtins", check<reject_unknown_builtins>},

    // Before loops around the body exist, and before optimisation copies or merges call sites.
    {"number_simd_sites", on_kernel<number_simd_sites>},
    {"form_entry", on_kernel<form_entry>},
    // After the last pass that makes conversions, before optimisation, which then sees plain ones.
    {"lower_narrow_floats", for_target<lower_narrow_floats>},
    {"store_narrow_floats_as_integers", for_target<store_narrow_floats_as_integers>},
    {"set_native_attributes", for_target<set_native_attributes>},
};

} // namespace

ArrayRef<KernelPass> lowering_passes() {
  return passes;
}

Expected<AirKernel> open_kernel(std::unique_ptr<Module> module, const TargetMachine &target) {
  // Before anything computes sizes or offsets; the layouts agree where AIR's types are concerned.
  module->setDataLayout(target.createDataLayout());
  module->setTargetTriple(target.getTargetTriple().str());
  // Before reflection, which keeps pointers to globals that this replaces.
  flatten_address_spaces(*module);
  return reflect_kernel(std::move(module));
}

Expected<AirKernel> lower_kernel(LLVMContext &context, MemoryBufferRef bitcode, StringRef name,
                                 ArrayRef<ConstantValue> constants, ArrayRef<LinkedFunction> linked,
                                 const TargetMachine &target) {
  Expected<std::unique_ptr<Module>> module = extract_kernel(context, bitcode, name);
  if (!module)
    return module.takeError();
  (*module)->setModuleIdentifier(name);
  (*module)->setSourceFileName(name);
  Expected<AirKernel> kernel = open_kernel(std::move(*module), target);
  if (!kernel)
    return kernel.takeError();
  for (const KernelPass &pass : passes)
    if (Error error = pass.run(*kernel, {constants, linked, target}))
      return std::move(error);
  return kernel;
}

Expected<image::Kernel> describe_kernel(LLVMContext &context, MemoryBufferRef bitcode,
                                        StringRef name) {
  Expected<std::unique_ptr<Module>> module = extract_kernel(context, bitcode, name);
  if (!module)
    return module.takeError();
  Expected<AirKernel> kernel = reflect_kernel(std::move(*module));
  if (!kernel)
    return kernel.takeError();
  return std::move(kernel->reflection);
}

} // namespace hostmetal::lowering
