// Compiling, loading and running one kernel in a test.
#pragma once

#include "hostmetal/executor/executor.hpp"
#include "hostmetal/image/reflection.hpp"

#include <memory>
#include <string>
#include <vector>

/// A function constant's value; `type` is an MTLDataType.
struct Constant {
  uint32_t index;
  uint32_t type;
  std::string bytes;
};

struct Compiled {
  std::string error; ///< empty: it compiled
  bool is_user_error = false;
  std::string object, ir; ///< `ir`: after lowering, before optimisation
  hostmetal::image::Kernel reflection;
};

Compiled compile(const std::string &bitcode, const std::string &name,
                 const std::vector<Constant> &constants = {}, const std::string &target = "");

/// Bytes bound to a slot, in the order of the reflection's arguments.
struct Binding {
  void *data = nullptr;
  uint64_t size = 0;
  uint32_t threadgroup_length = 0;
};
template <class T> Binding bind(std::vector<T> &values) {
  return {values.data(), values.size() * sizeof(T), 0};
}

/// Loads the kernel and runs it on the CPU executor. Fails the test on any error.
void run(const Compiled &compiled, const std::vector<Binding> &bindings, hostmetal::Size3 threads,
         hostmetal::Size3 group);

/// Compiles and runs.
inline hostmetal::image::Kernel run(const std::string &bitcode, const std::string &name,
                                    const std::vector<Binding> &bindings, hostmetal::Size3 threads,
                                    hostmetal::Size3 group, const std::string &target = "") {
  Compiled compiled = compile(bitcode, name, {}, target);
  run(compiled, bindings, threads, group);
  return compiled.reflection;
}
