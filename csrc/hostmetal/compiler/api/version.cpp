#include "hostmetal/compiler/api/version.hpp"

#include "hostmetal/compiler/frontend/frontend.hpp"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Config/llvm-config.h>

#include <elf.h>
#include <link.h>

#include <cstring>
#include <string>

namespace hostmetal::api {
namespace {

/// The build id of the library that contains this function; all its code and data are hashed in it.
std::string own_build_id() {
  struct Search {
    ElfW(Addr) inside;
    std::string id;
  } search{reinterpret_cast<ElfW(Addr)>(&version), {}};
  auto visit = [](dl_phdr_info *info, size_t, void *data) {
    auto &search = *static_cast<Search *>(data);
    bool contains = false;
    for (unsigned i = 0; i < info->dlpi_phnum; ++i) {
      const ElfW(Phdr) &header = info->dlpi_phdr[i];
      ElfW(Addr) start = info->dlpi_addr + header.p_vaddr;
      contains |= header.p_type == PT_LOAD && search.inside >= start &&
                  search.inside < start + header.p_memsz;
    }
    for (unsigned i = 0; contains && i < info->dlpi_phnum; ++i) {
      const ElfW(Phdr) &header = info->dlpi_phdr[i];
      if (header.p_type != PT_NOTE)
        continue;
      auto *place = reinterpret_cast<const uint8_t *>(info->dlpi_addr + header.p_vaddr);
      const uint8_t *end = place + header.p_memsz;
      while (place + sizeof(ElfW(Nhdr)) <= end) {
        auto *note = reinterpret_cast<const ElfW(Nhdr) *>(place);
        const uint8_t *name = place + sizeof(*note);
        const uint8_t *content = name + (note->n_namesz + 3) / 4 * 4;
        if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
            std::memcmp(name, "GNU", 4) == 0)
          search.id = llvm::toHex({content, note->n_descsz}, true);
        place = content + (note->n_descsz + 3) / 4 * 4;
      }
    }
    return contains ? 1 : 0;
  };
  dl_iterate_phdr(visit, &search);
  return search.id;
}

} // namespace

const char *version() {
  static const std::string &text =
      *new std::string("hostmetal-compiler " + own_build_id() + ", LLVM " LLVM_VERSION_STRING ", " +
                       std::string(frontend::frontend_version()));
  return text.c_str();
}

} // namespace hostmetal::api
