// MSL source to results in memory, through the C ABI of the compiler library and the CPU executor.
#pragma once

#include "hostmetal/compiler/compiler.h"
#include "hostmetal/executor/executor.hpp"
#include "hostmetal/image/reflection.hpp"

#include <memory>
#include <string>
#include <vector>

extern "C" const HmCompiler *hostmetal_compiler(void);

namespace msl {

struct Library {
  HmStatus status;
  std::string module, diagnostics;
  hostmetal::image::Library functions;
};
Library compile_library(const std::string &source, HmMathMode math_mode = HM_MATH_FAST);

struct Constant {
  uint32_t index;
  uint32_t type; ///< MTLDataType
  std::string bytes;
};

/// A compiled and loaded kernel. `status` and `diagnostics` say when it is not.
class Kernel {
public:
  Kernel(const std::string &module, const std::string &name,
         const std::vector<Constant> &constants = {}, const char *target = nullptr);
  ~Kernel();
  Kernel(const Kernel &) = delete;
  Kernel &operator=(const Kernel &) = delete;

  HmStatus status;
  std::string object, diagnostics;
  hostmetal::image::Kernel reflection;

  /// Runs over `threads` threads in threadgroups of `group`; arguments in the order of the slots.
  void run(const std::vector<void *> &arguments, hostmetal::Size3 threads, hostmetal::Size3 group,
           const std::vector<uint32_t> &threadgroup_lengths = {});

private:
  HmLoaded *loaded_ = nullptr;
  HmKernelCode code_{};
};

} // namespace msl
