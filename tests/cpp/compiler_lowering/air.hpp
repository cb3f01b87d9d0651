// AIR-form modules as the tests write them: text of LLVM IR around the kernel's body.
#pragma once

#include <string>
#include <vector>

namespace air {

/// One kernel argument: its IR parameter type and its metadata node without the leading number.
struct Argument {
  std::string type;
  std::string node;
};

/// device pointer, `read` or `read_write`.
Argument device(unsigned index, const char *element, unsigned size, bool is_written = true);
/// constant reference.
Argument constant(unsigned index, const char *type, unsigned size);
/// threadgroup pointer.
Argument threadgroup(unsigned index, const char *element, unsigned size);
/// A builtin: "thread_position_in_grid" as "i32", "<3 x i32>", …
Argument builtin(const char *name, const char *type = "i32");

/// A kernel: `body` sees its parameters as %0, %1, … and its first block is unnamed, so that the
/// first unnamed value of the body has the number arguments + 1.
struct Kernel {
  std::string name;
  std::vector<Argument> arguments;
  std::string body;
  std::string attributes; ///< nodes after the argument list: ", !{!\"air.…\", i32 1}"
};

/// The text of a module; `globals` holds declarations, variables and named metadata.
std::string module_text(const std::vector<Kernel> &kernels, const std::string &globals = "");
/// Its bitcode; a text that does not parse fails the test and gives nothing.
std::string bitcode(const std::string &text);
inline std::string bitcode(const std::vector<Kernel> &kernels, const std::string &globals = "") {
  return bitcode(module_text(kernels, globals));
}

} // namespace air
