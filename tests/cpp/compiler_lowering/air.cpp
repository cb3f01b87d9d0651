#include "air.hpp"

#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

namespace air {
namespace {

std::string buffer(unsigned index, const char *element, unsigned size, const char *access,
                   unsigned space, bool is_reference) {
  std::string words = "!\"air.buffer\"";
  std::string bytes = std::to_string(size);
  if (is_reference)
    words += ", !\"air.buffer_size\", i32 " + bytes;
  return words + ", !\"air.location_index\", i32 " + std::to_string(index) + ", i32 1, !\"" +
         access + "\", !\"air.address_space\", i32 " + std::to_string(space) +
         ", !\"air.arg_type_size\", i32 " + bytes + ", !\"air.arg_type_align_size\", i32 " + bytes +
         ", !\"air.arg_type_name\", !\"" + element + "\", !\"air.arg_name\", !\"argument" +
         std::to_string(index) + "\"";
}

} // namespace

Argument device(unsigned index, const char *element, unsigned size, bool is_written) {
  return {"ptr",
          buffer(index, element, size, is_written ? "air.read_write" : "air.read", 1, false)};
}
Argument constant(unsigned index, const char *type, unsigned size) {
  return {"ptr", buffer(index, type, size, "air.read", 2, true)};
}
Argument threadgroup(unsigned index, const char *element, unsigned size) {
  return {"ptr", buffer(index, element, size, "air.read_write", 3, false)};
}
Argument builtin(const char *name, const char *type) {
  return {type, std::string("!\"air.") + name + "\", !\"air.arg_name\", !\"id\""};
}

std::string module_text(const std::vector<Kernel> &kernels, const std::string &globals) {
  std::string text = "target triple = \"air64-apple-macosx14.0.0\"\n" + globals + "\n";
  std::string list;
  unsigned number = 9000; // out of the way of the test's own nodes
  std::string nodes;
  for (const Kernel &kernel : kernels) {
    std::string parameters, arguments;
    for (size_t i = 0; i < kernel.arguments.size(); ++i) {
      std::string separator = i ? ", " : "";
      parameters += separator + kernel.arguments[i].type;
      arguments += separator + "!{i32 " + std::to_string(i) + ", " + kernel.arguments[i].node + "}";
    }
    text += "define void @\"" + kernel.name + "\"(" + parameters + ") {\n" + kernel.body + "\n}\n";
    nodes += "!" + std::to_string(number) + " = !{ptr @\"" + kernel.name + "\", !{}, !{" +
             arguments + "}" + kernel.attributes + "}\n";
    list += (list.empty() ? "!" : ", !") + std::to_string(number++);
  }
  return text + nodes + "!air.kernel = !{" + list + "}\n";
}

std::string bitcode(const std::string &text) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(text, problem, context);
  if (!module) {
    std::string message;
    llvm::raw_string_ostream out(message);
    problem.print("test", out);
    ADD_FAILURE() << message << text;
    return {};
  }
  std::string bytes;
  llvm::raw_string_ostream out(bytes);
  llvm::WriteBitcodeToFile(*module, out);
  return bytes;
}

} // namespace air
