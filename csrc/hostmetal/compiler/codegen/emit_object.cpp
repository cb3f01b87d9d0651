#include "hostmetal/compiler/codegen/emit_object.hpp"

#include "hostmetal/compiler/codegen/host_symbols.hpp"
#include "hostmetal/compiler/codegen/optimise.hpp"
#include "hostmetal/compiler/codegen/vector_math.hpp"
#include "hostmetal/compiler/guard/compile_guard.hpp"
#include "hostmetal/compiler/lowering/form_entry.hpp"
#include "hostmetal/compiler/lowering/kernel_error.hpp"
#include "hostmetal/compiler/lowering/recursive_functions.hpp"
#include "hostmetal/image/abi.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/CodeGen/MachineModuleInfo.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>

#include <optional>

using namespace llvm;

namespace hostmetal::codegen {
namespace {

/// Bytes of stack that one call of a kernel's function may take. A thread with synchronisation runs
/// on a fiber's stack of 64 KiB, of which the C library's functions need some; a row function
/// runs on a worker thread's.
constexpr uint64_t thread_stack_limit = 48 * 1024;
constexpr uint64_t row_stack_limit = 1024 * 1024;

/// Makes code generation report a function that takes more bytes of stack.
void limit_stack(Function &function, uint64_t bytes) {
  function.addFnAttr("warn-stack-size", std::to_string(bytes));
}

/// Collects what passes report instead of printing it.
class Reports : public DiagnosticHandler {
public:
  bool handleDiagnostics(const DiagnosticInfo &info) override {
    if (auto *stack = dyn_cast<DiagnosticInfoStackSize>(&info)) {
      stack_size = stack->getResourceSize();
      stack_limit = stack->getResourceLimit();
      in_recursion = lowering::is_recursive(stack->getFunction());
    } else if (info.getSeverity() == DS_Error && error.empty()) {
      raw_string_ostream out(error);
      DiagnosticPrinterRawOStream printer(out);
      info.print(printer);
    }
    return true;
  }
  uint64_t stack_size = 0; ///< beyond the limit; 0: within it
  uint64_t stack_limit = 0;
  bool in_recursion = false;
  std::string error;
};

/// Installs Reports in a context for as long as it lives.
class ReportScope {
public:
  explicit ReportScope(LLVMContext &context)
      : context_(context), old_(context.getDiagnosticHandler()) {
    auto reports = std::make_unique<Reports>();
    reports_ = reports.get();
    context_.setDiagnosticHandler(std::move(reports));
  }
  ~ReportScope() { context_.setDiagnosticHandler(std::move(old_)); }
  const Reports &operator*() const { return *reports_; }
  const Reports *operator->() const { return reports_; }

private:
  LLVMContext &context_;
  std::unique_ptr<DiagnosticHandler> old_;
  Reports *reports_;
};

/// A kernel that runs forever, or does what nobody may, can end up with no code at all; then the
/// call of it would run whatever lies behind.
void return_where_nothing_is_left(Function &function) {
  BasicBlock &entry = function.getEntryBlock();
  if (!isa<UnreachableInst>(entry.getTerminator()))
    return;
  entry.getTerminator()->eraseFromParent();
  ReturnInst::Create(function.getContext(), &entry);
}

Expected<std::string> generate(Module &module, TargetMachine &target,
                               const TargetLibraryInfoImpl &library) {
  SmallString<0> bytes;
  raw_svector_ostream out(bytes);
  legacy::PassManager passes;
  passes.add(new TargetLibraryInfoWrapperPass(library));
  if (target.addPassesToEmitFile(passes, out, nullptr, CodeGenFileType::ObjectFile))
    return createStringError("LLVM cannot write objects for this target.");
  passes.run(module);
  return bytes.str().str();
}

/// Code generation may call functions that the kernel did not; all must be the C library's.
Error check_undefined_symbols(StringRef bytes, StringRef kernel) {
  auto object = object::ObjectFile::createObjectFile(MemoryBufferRef(bytes, "kernel"));
  if (!object)
    return object.takeError();
  for (const object::SymbolRef &symbol : (*object)->symbols()) {
    Expected<uint32_t> flags = symbol.getFlags();
    if (!flags)
      return flags.takeError();
    Expected<StringRef> name = symbol.getName();
    if (!name)
      return name.takeError();
    if ((*flags & object::SymbolRef::SF_Undefined) && !name->empty() &&
        *name != "_GLOBAL_OFFSET_TABLE_" && !host_symbol(*name))
      return createStringError("The code of kernel \"" + kernel + "\" needs the function \"" +
                               *name + "\", which the C library does not have.");
  }
  return Error::success();
}

} // namespace

Expected<std::string> emit_object(lowering::AirKernel &kernel, TargetMachine &target) {
  Module &module = *kernel.module;
  bool is_thread = kernel.function->getName().starts_with(lowering::thread_entry_prefix);
  uint64_t stack_limit = is_thread ? thread_stack_limit : row_stack_limit;
  if (SmallVector functions = lowering::recursive_functions(module); !functions.empty()) {
    // The last of them finds out that its frame is one too many.
    stack_limit -= HM_MAX_RECURSIVE_FRAME;
    for (Function *function : functions)
      limit_stack(*function, HM_MAX_RECURSIVE_FRAME);
  }
  limit_stack(*kernel.function, stack_limit);

  std::string problem;
  raw_string_ostream problem_out(problem);
  if (verifyModule(module, &problem_out))
    return createStringError("The lowering of kernel \"" + kernel.reflection.name +
                             "\" made invalid LLVM IR: " + problem_out.str());

  ReportScope reports(module.getContext());
  TargetLibraryInfoImpl library = library_info(target);
  optimise(module, target, library);
  if (must_end())
    return createStringError("The optimisation was ended early.");
  return_where_nothing_is_left(*kernel.function);
  Expected<std::string> object = generate(module, target, library);
  if (!object)
    return object.takeError();
  if (!reports->error.empty())
    return createStringError(reports->error);
  const std::string &name = kernel.reflection.name;
  if (reports->stack_size > 0)
    return lowering::kernel_error(
        (reports->in_recursion ? "A function of the kernel \"" + name + "\" that calls itself"
                               : "The kernel \"" + name + "\"") +
        " needs " + Twine(reports->stack_size) +
        " bytes of private memory per thread; the limit is " + Twine(reports->stack_limit) + ".");
  if (Error error = check_undefined_symbols(*object, kernel.reflection.name))
    return std::move(error);
  if (uint32_t bytes = kernel.reflection.static_threadgroup_memory;
      bytes > HM_MAX_THREADGROUP_MEMORY)
    return lowering::kernel_error("The kernel \"" + name + "\" declares " + Twine(bytes) +
                                  " bytes of threadgroup memory; the limit is " +
                                  Twine(HM_MAX_THREADGROUP_MEMORY) + ".");
  return object;
}

Expected<std::string> emit_module(Module &module, TargetMachine &target) {
  return generate(module, target, TargetLibraryInfoImpl(target.getTargetTriple()));
}

} // namespace hostmetal::codegen
