// Runs one pass of the lowering over a module in LLVM's text form, and prints what it leaves: the
// module, and as comments what the pass says about the kernel, or its error.
#include "hostmetal/compiler/codegen/target.hpp"
#include "hostmetal/compiler/lowering/data_types.hpp"
#include "hostmetal/compiler/lowering/extract_kernel.hpp"
#include "hostmetal/compiler/lowering/flatten_address_spaces.hpp"
#include "hostmetal/compiler/lowering/lower_kernel.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Verifier.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

#include <string>
#include <vector>

using namespace llvm;
using namespace hostmetal;

namespace {

const cl::opt<std::string> pass_name(cl::Positional, cl::desc("<pass>"));
const cl::opt<std::string> file_name(cl::Positional, cl::desc("<file>"));
const cl::opt<bool> list_passes("list", cl::desc("print the names of all passes"));
const cl::opt<std::string> kernel_name("kernel", cl::desc("the kernel to extract"));
const cl::opt<std::string> target_name("target", cl::desc("this machine if empty"));
const cl::list<std::string> constants("constant", cl::desc("index:type:bytes in hexadecimal"));

ExitOnError check("; error: ");

struct Constants {
  Constants() {
    for (const std::string &text : constants) {
      const auto [index, rest] = StringRef(text).split(':');
      const auto [type, hexadecimal] = rest.split(':');
      unsigned number = 0;
      std::string &bytes = storage_.emplace_back();
      if (index.getAsInteger(10, number) || !tryGetFromHex(hexadecimal, bytes))
        report_fatal_error(Twine("not a constant: ") + text);
      values_.push_back({number, lowering::data_type_of(type), {}});
    }
    for (auto [value, bytes] : zip_equal(values_, storage_))
      value.bytes = bytes;
  }
  ArrayRef<lowering::ConstantValue> values() const { return values_; }

private:
  std::vector<std::string> storage_;
  std::vector<lowering::ConstantValue> values_;
};

void print(Module &module) {
  if (verifyModule(module, &errs()))
    report_fatal_error("The pass left a broken module.");
  outs() << module;
}

void print(const image::Kernel &kernel) {
  outs() << "; kernel " << kernel.name << ":" << (kernel.has_barriers ? " barriers" : "")
         << (kernel.has_simd_operations ? " simdgroups" : "")
         << (kernel.regroupable ? " regroupable" : "") << "\n; threadgroup memory "
         << kernel.static_threadgroup_memory << ", threads "
         << kernel.max_total_threads_per_threadgroup << "\n";
  for (const image::Argument &argument : kernel.arguments)
    outs() << "; argument " << argument.name << ": kind " << unsigned(argument.kind) << ", index "
           << argument.index << ", access " << unsigned(argument.access) << ", "
           << argument.type_name << " of " << argument.type_size << " bytes"
           << (argument.is_constant ? ", constant" : "")
           << (argument.is_reference ? ", reference" : "")
           << (argument.is_active ? "" : ", inactive") << "\n";
}

std::unique_ptr<Module> read(LLVMContext &context) {
  SMDiagnostic problem;
  std::unique_ptr<Module> module = parseIRFile(file_name, problem, context);
  if (!module) {
    problem.print("run_pass", errs());
    exit(EXIT_FAILURE);
  }
  return module;
}

void extract(const Module &module, LLVMContext &context) {
  SmallString<0> bitcode;
  raw_svector_ostream out(bitcode);
  WriteBitcodeToFile(module, out);
  print(
      *check(lowering::extract_kernel(context, MemoryBufferRef(bitcode, file_name), kernel_name)));
}

} // namespace

int main(int argc, char **argv) {
  cl::ParseCommandLineOptions(argc, argv);
  if (list_passes) {
    outs() << "extract_kernel\nflatten_address_spaces\nreflect_kernel\n";
    for (const lowering::KernelPass &pass : lowering::lowering_passes())
      outs() << pass.name << "\n";
    return EXIT_SUCCESS;
  }
  LLVMContext context;
  std::unique_ptr<Module> module = read(context);
  if (pass_name == "extract_kernel") {
    extract(*module, context);
    return EXIT_SUCCESS;
  }
  if (pass_name == "flatten_address_spaces") {
    lowering::flatten_address_spaces(*module);
    print(*module);
    return EXIT_SUCCESS;
  }
  const codegen::TargetPointer target = check(codegen::make_target(target_name));
  lowering::AirKernel kernel = check(lowering::open_kernel(std::move(module), *target));
  if (pass_name != "reflect_kernel") {
    const auto *pass = find_if(lowering::lowering_passes(), [](const lowering::KernelPass &pass) {
      return pass.name == pass_name;
    });
    if (pass == lowering::lowering_passes().end())
      report_fatal_error(Twine("There is no pass ") + pass_name);
    const Constants values;
    check(pass->run(kernel, {values.values(), {}, *target}));
  }
  print(*kernel.module);
  print(kernel.reflection);
  return EXIT_SUCCESS;
}
