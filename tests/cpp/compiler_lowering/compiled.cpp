#include "compiled.hpp"

#include "hostmetal/compiler/codegen/emit_object.hpp"
#include "hostmetal/compiler/codegen/loaded_code.hpp"
#include "hostmetal/compiler/codegen/target.hpp"
#include "hostmetal/compiler/lowering/kernel_error.hpp"
#include "hostmetal/compiler/lowering/lower_kernel.hpp"

#include <gtest/gtest.h>

#include <future>

using namespace hostmetal;

namespace {

void take_error(Compiled &compiled, llvm::Error error) {
  llvm::handleAllErrors(
      std::move(error),
      [&](const lowering::KernelError &problem) {
        compiled.is_user_error = true;
        compiled.error = problem.message();
      },
      [&](const llvm::ErrorInfoBase &problem) { compiled.error = problem.message(); });
}

} // namespace

Compiled compile(const std::string &bitcode, const std::string &name,
                 const std::vector<Constant> &constants, const std::string &target_name) {
  Compiled compiled;
  auto target = codegen::make_target(target_name);
  if (!target) {
    take_error(compiled, target.takeError());
    return compiled;
  }
  std::vector<lowering::ConstantValue> values;
  for (const Constant &constant : constants)
    values.push_back({constant.index, constant.type, constant.bytes});
  llvm::LLVMContext context;
  auto kernel = lowering::lower_kernel(context, llvm::MemoryBufferRef(bitcode, "test"), name,
                                       values, {}, **target);
  if (!kernel) {
    take_error(compiled, kernel.takeError());
    return compiled;
  }
  compiled.reflection = kernel->reflection;
  llvm::raw_string_ostream(compiled.ir) << *kernel->module;
  auto object = codegen::emit_object(*kernel, **target);
  if (!object)
    take_error(compiled, object.takeError());
  else
    compiled.object = std::move(*object);
  return compiled;
}

void run(const Compiled &compiled, const std::vector<Binding> &bindings, Size3 threads,
         Size3 group) {
  ASSERT_EQ(compiled.error, "");
  auto loaded = codegen::LoadedCode::load(compiled.object);
  if (!loaded)
    FAIL() << llvm::toString(loaded.takeError());
  std::shared_ptr<codegen::LoadedCode> code = std::move(*loaded);
  std::shared_ptr<Executor> executor = cpu_executor();
  Dispatch dispatch{
      executor->load(compiled.reflection, code->code(), code), {}, {}, {}, threads, group};
  for (const Binding &binding : bindings) {
    dispatch.arguments.push_back(binding.data);
    dispatch.argument_sizes.push_back(binding.size);
    dispatch.threadgroup_lengths.push_back(binding.threadgroup_length);
  }
  std::promise<std::string> outcome;
  executor->make_stream()->submit(
      {std::move(dispatch)}, [] {},
      [&](const Outcome &result) { outcome.set_value(result.error); });
  EXPECT_EQ(outcome.get_future().get(), "");
}
