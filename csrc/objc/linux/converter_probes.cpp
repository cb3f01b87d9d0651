#include "objc/linux/converter_probes.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iconv.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

namespace metalcore::objc {

namespace {

constexpr const char *intercepted = "iconv_open";

thread_local bool is_probing = false;

iconv_t open_converter(const char *to, const char *from) {
  constexpr const char *built_in = "UTF-8"; // iconv loads nothing for it
  return is_probing ? iconv_open(built_in, built_in) : iconv_open(to, from);
}

/// A loaded object, as the dynamic loader describes it.
class LoadedObject {
public:
  explicit LoadedObject(const dl_phdr_info &info)
      : base_(info.dlpi_addr), segments_(info.dlpi_phdr, info.dlpi_phnum) {}

  bool contains(const void *address) const {
    for (const ElfW(Phdr) & segment : segments_)
      if (segment.p_type == PT_LOAD && offset(address) - segment.p_vaddr < segment.p_memsz)
        return true;
    return false;
  }

  /// The entry through which the object calls the function, or null.
  const void **slot(const char *function) const {
    const auto *symbols = static_cast<const ElfW(Sym) *>(dynamic(DT_SYMTAB));
    const auto *names = static_cast<const char *>(dynamic(DT_STRTAB));
    const auto *relocations = static_cast<const ElfW(Rela) *>(dynamic(DT_JMPREL));
    if (!symbols || !names || !relocations || value(DT_PLTREL) != DT_RELA)
      return nullptr;
    for (const ElfW(Rela) & entry : std::span(relocations, value(DT_PLTRELSZ) / sizeof(ElfW(Rela))))
      if (std::strcmp(names + symbols[ELF64_R_SYM(entry.r_info)].st_name, function) == 0)
        return reinterpret_cast<const void **>(base_ + entry.r_offset);
    return nullptr;
  }

  /// The pages of the address if they belong to what is read-only after relocation, else none.
  std::span<std::byte> protected_pages(const void *address, std::size_t size) const {
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    for (const ElfW(Phdr) & segment : segments_) {
      if (segment.p_type != PT_GNU_RELRO || offset(address) - segment.p_vaddr >= segment.p_memsz)
        continue;
      const std::uintptr_t at = reinterpret_cast<std::uintptr_t>(address);
      const std::uintptr_t begin = at & ~(page - 1), end = (at + size + page - 1) & ~(page - 1);
      return {reinterpret_cast<std::byte *>(begin), end - begin};
    }
    return {};
  }

private:
  std::uintptr_t offset(const void *address) const {
    return reinterpret_cast<std::uintptr_t>(address) - base_;
  }

  ElfW(Xword) value(ElfW(Sxword) tag) const {
    for (const ElfW(Phdr) & segment : segments_)
      if (segment.p_type == PT_DYNAMIC)
        for (auto *entry = reinterpret_cast<const ElfW(Dyn) *>(base_ + segment.p_vaddr);
             entry->d_tag != DT_NULL; ++entry)
          if (entry->d_tag == tag)
            return entry->d_un.d_val;
    return 0;
  }

  /// The loader has turned offsets into addresses, except where the section is read-only.
  const void *dynamic(ElfW(Sxword) tag) const {
    const ElfW(Xword) found = value(tag);
    if (found == 0)
      return nullptr;
    return reinterpret_cast<const void *>(found < base_ ? base_ + found : found);
  }

  std::uintptr_t base_;
  std::span<const ElfW(Phdr)> segments_;
};

} // namespace

ConverterProbes::ConverterProbes(const void *function) {
  struct Search {
    const void *function;
    ConverterProbes &probes;
  } search{function, *this};
  dl_iterate_phdr(
      [](dl_phdr_info *info, std::size_t, void *argument) {
        const auto &[function, probes] = *static_cast<Search *>(argument);
        const LoadedObject object(*info);
        if (!object.contains(function))
          return 0;
        probes.slot_ = object.slot(intercepted);
        if (probes.slot_)
          probes.protected_ = object.protected_pages(probes.slot_, sizeof(*probes.slot_));
        return 1;
      },
      &search);
  is_probing = true;
  set(reinterpret_cast<const void *>(&open_converter));
}

ConverterProbes::~ConverterProbes() {
  set(reinterpret_cast<const void *>(&iconv_open));
  is_probing = false;
}

void ConverterProbes::set(const void *target) const {
  if (!slot_)
    return;
  const auto protect = [this](int access) {
    return protected_.empty() || mprotect(protected_.data(), protected_.size(), access) == 0;
  };
  if (!protect(PROT_READ | PROT_WRITE))
    return;
  __atomic_store_n(slot_, target, __ATOMIC_RELEASE);
  protect(PROT_READ);
}

} // namespace metalcore::objc
