#include "hostmetal/compiler/codegen/host_symbols.hpp"

#include <dlfcn.h>
#include <link.h>

namespace hostmetal::codegen {
namespace {

/// libmvec exists for some processors only; the others are always there.
struct Libraries {
  std::vector<void *> handles;
  std::vector<std::string> files;

  Libraries() {
    for (const char *name : {"libm.so.6", "libmvec.so.1", "libc.so.6"}) {
      void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
      if (!handle)
        continue;
      handles.push_back(handle);
      link_map *map = nullptr;
      if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0)
        files.emplace_back(map->l_name);
    }
  }
};

const Libraries &libraries() {
  static const Libraries &instance = *new Libraries;
  return instance;
}

} // namespace

void *host_symbol(llvm::StringRef name) {
  std::string terminated = name.str();
  for (void *handle : libraries().handles)
    if (void *address = dlsym(handle, terminated.c_str()))
      return address;
  return nullptr;
}

const std::vector<std::string> &host_libraries() {
  return libraries().files;
}

} // namespace hostmetal::codegen
