#include "hostmetal/compiler/api/kernel_calls.hpp"

#include "hostmetal/compiler/api/bytes.hpp"
#include "hostmetal/compiler/codegen/emit_object.hpp"
#include "hostmetal/compiler/codegen/image_linker.hpp"
#include "hostmetal/compiler/codegen/loaded_code.hpp"
#include "hostmetal/compiler/codegen/target.hpp"
#include "hostmetal/compiler/frontend/embedded_library.hpp"
#include "hostmetal/compiler/guard/compile_guard.hpp"
#include "hostmetal/compiler/lowering/kernel_error.hpp"
#include "hostmetal/compiler/lowering/lower_kernel.hpp"
#include "hostmetal/image/reflection.hpp"

#include <llvm/IR/LLVMContext.h>
#include <llvm/Support/Error.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

struct HmLoaded {
  std::unique_ptr<hostmetal::codegen::LoadedCode> code;
};

namespace hostmetal::api {
namespace {

/// Runs `work`, which returns an llvm::Error, guarded; puts what went wrong into `diagnostics`.
template <class Work> HmStatus guarded(HmBytes *diagnostics, const char *what, Work &&work) {
  HmStatus status = HM_OK;
  std::string message;
  const CompileEnd end = run_guarded([&] {
    llvm::handleAllErrors(
        work(),
        [&](const lowering::KernelError &error) {
          status = HM_COMPILE_ERROR;
          message = error.message();
        },
        [&](const llvm::ErrorInfoBase &error) {
          status = HM_INTERNAL_ERROR;
          message = error.message();
        });
  });
  if (end != CompileEnd::finished) {
    status = end == CompileEnd::crashed ? HM_INTERNAL_ERROR : HM_COMPILE_ERROR;
    message = "The compiler " + describe(end) + " while " + what + ".";
  }
  *diagnostics = to_bytes(message);
  return status;
}

struct CompiledKernel {
  std::string object, reflection;
};

std::vector<lowering::ConstantValue> constant_values(const HmConstant *constants, size_t count) {
  std::vector<lowering::ConstantValue> values;
  for (size_t i = 0; i < count; ++i)
    values.push_back({constants[i].index, constants[i].data_type, to_text(constants[i].value)});
  return values;
}

llvm::Expected<CompiledKernel> compile(const HmKernelRequest &request) {
  auto target = codegen::make_target(request.target ? request.target : "");
  if (!target)
    return target.takeError();
  std::vector<lowering::LinkedFunction> linked;
  for (size_t i = 0; i < request.linked_count; ++i) {
    const HmLinkedFunction &function = request.linked[i];
    linked.push_back({llvm::MemoryBufferRef(to_text(function.module), "module"), function.function,
                      constant_values(function.constants, function.constant_count), function.id});
  }
  llvm::LLVMContext context;
  auto kernel = lowering::lower_kernel(
      context, llvm::MemoryBufferRef(to_text(request.module), "module"), request.function,
      constant_values(request.constants, request.constant_count), linked, **target);
  if (!kernel)
    return kernel.takeError();
  auto object = codegen::emit_object(*kernel, **target);
  if (!object)
    return object.takeError();
  return CompiledKernel{std::move(*object), image::serialise(kernel->reflection)};
}

} // namespace

HmStatus compile_kernel(const HmKernelRequest *request, HmBytes *object, HmBytes *reflection,
                        HmBytes *diagnostics) {
  *object = *reflection = {nullptr, 0};
  std::string what = std::string("compiling kernel \"") + request->function + "\"";
  return guarded(diagnostics, what.c_str(), [&]() -> llvm::Error {
    llvm::Expected<CompiledKernel> kernel = compile(*request);
    if (!kernel)
      return kernel.takeError();
    *object = to_bytes(kernel->object);
    *reflection = to_bytes(kernel->reflection);
    return llvm::Error::success();
  });
}

HmStatus reflect_kernel(HmView module, const char *function, HmBytes *reflection,
                        HmBytes *diagnostics) {
  *reflection = {nullptr, 0};
  std::string what = std::string("describing kernel \"") + function + "\"";
  return guarded(diagnostics, what.c_str(), [&]() -> llvm::Error {
    llvm::LLVMContext context;
    auto kernel = lowering::describe_kernel(
        context, llvm::MemoryBufferRef(to_text(module), "module"), function);
    if (!kernel)
      return kernel.takeError();
    *reflection = to_bytes(image::serialise(*kernel));
    return llvm::Error::success();
  });
}

HmStatus load(HmView object, HmView, HmLoaded **loaded, HmKernelCode *code, HmBytes *diagnostics) {
  *loaded = nullptr;
  *code = {};
  return guarded(diagnostics, "loading a kernel", [&]() -> llvm::Error {
    auto placed = codegen::LoadedCode::load(to_text(object));
    if (!placed)
      return placed.takeError();
    *code = (*placed)->code();
    *loaded = new HmLoaded{std::move(*placed)};
    return llvm::Error::success();
  });
}

void unload(HmLoaded *loaded) {
  delete loaded;
}

HmStatus link_image(const HmObject *objects, size_t count, HmBytes *image, HmBytes *diagnostics) {
  *image = {nullptr, 0};
  return guarded(diagnostics, "linking an image", [&]() -> llvm::Error {
    std::vector<codegen::ImagePart> parts;
    for (size_t i = 0; i < count; ++i)
      parts.push_back({to_text(objects[i].object), to_text(objects[i].reflection)});
    auto linked = codegen::link_image(parts);
    if (!linked)
      return linked.takeError();
    *image = to_bytes(*linked);
    return llvm::Error::success();
  });
}

HmStatus warm_up(HmBytes *diagnostics) {
  const std::string_view module = frontend::embedded_kernel();
  HmKernelRequest request{};
  request.module = {module.data(), module.size()};
  request.function = "warm_up";
  return guarded(diagnostics, "warming up",
                 [&]() -> llvm::Error { return compile(request).takeError(); });
}

} // namespace hostmetal::api
