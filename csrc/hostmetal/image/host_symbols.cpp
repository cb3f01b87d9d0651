#include "hostmetal/image/host_symbols.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <dlfcn.h>

namespace hostmetal::image {
namespace {

struct Function {
  const char *name;
  void *address;
};

/// What the built-in kernels call, and what compilers make out of loops.
const Function common[] = {
    {"memcpy", reinterpret_cast<void *>(&std::memcpy)},
    {"memmove", reinterpret_cast<void *>(&std::memmove)},
    {"memset", reinterpret_cast<void *>(&std::memset)},
    {"fmaf", reinterpret_cast<void *>(static_cast<float (*)(float, float, float)>(&::fmaf))},
};

} // namespace

void *host_symbol(const std::string &name, std::span<const std::string> libraries,
                  std::string &error) {
  const auto known = std::ranges::find(common, name, &Function::name);
  if (known != std::end(common))
    return known->address;
  for (const std::string &library : libraries) {
    // Never closed: the code that uses it may stay for as long as the process.
    void *handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
      const char *reason = dlerror();
      error = std::string("loading its code failed: ") + (reason ? reason : library) + ".";
      return nullptr;
    }
    if (void *address = dlsym(handle, name.c_str()))
      return address;
  }
  error = "the system's libraries lack \"" + name + "\", which its code calls.";
  return nullptr;
}

} // namespace hostmetal::image
