#include "fixture.hpp"

#include <dlfcn.h>

namespace metal_library {

int fake_count(const char *function) {
  void *compiler = dlopen(FAKE_COMPILER, RTLD_NOW | RTLD_NOLOAD);
  EXPECT_NE(compiler, nullptr);
  const int count = reinterpret_cast<int (*)()>(dlsym(compiler, function))();
  dlclose(compiler);
  return count;
}

} // namespace metal_library
