#include "hostmetal/image/code_object.hpp"

#include "hostmetal/image/dynamic_section.hpp"
#include "hostmetal/image/host.hpp"
#include "hostmetal/image/host_symbols.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <elf.h>
#include <optional>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace hostmetal::image {
namespace {

constexpr const char *not_whole = "it holds no whole ELF shared object for this machine.";

uint64_t page_size() {
  return static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

uint64_t page_begin(uint64_t address) {
  return address & ~(page_size() - 1);
}

uint64_t page_end(uint64_t address) {
  return page_begin(address + page_size() - 1);
}

bool fits(uint64_t offset, uint64_t size, uint64_t limit) {
  return offset <= limit && size <= limit - offset;
}

std::string system_error(const char *action) {
  return std::string(action) + " failed: " + std::strerror(errno) + ".";
}

/// The program headers of a file.
struct Segments {
  std::vector<Elf64_Phdr> loaded; ///< readable, in ascending order; no two share a page
  Elf64_Phdr dynamic{};
  std::optional<Elf64_Phdr> read_only_after_relocation;
  uint64_t memory_size = 0; ///< whole pages, from address 0 to the last one's end
};

std::optional<Segments> read_segments(std::span<const uint8_t> file) {
  // Far beyond any kernel, and far below where sums of two addresses overflow.
  constexpr uint64_t most_memory = uint64_t{1} << 40;
  Elf64_Ehdr header;
  if (file.size() < sizeof(header))
    return std::nullopt;
  std::memcpy(&header, file.data(), sizeof(header));
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_type != ET_DYN ||
      header.e_machine != host_elf.machine || header.e_phentsize != sizeof(Elf64_Phdr) ||
      !fits(header.e_phoff, uint64_t{header.e_phnum} * sizeof(Elf64_Phdr), file.size()) ||
      !fits(header.e_shoff, uint64_t{header.e_shnum} * header.e_shentsize, file.size()))
    return std::nullopt;
  Segments segments;
  bool is_dynamic = false;
  for (size_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment, file.data() + header.e_phoff + i * sizeof(segment), sizeof(segment));
    if (!fits(segment.p_offset, segment.p_filesz, file.size()) ||
        !fits(segment.p_vaddr, segment.p_memsz, most_memory) || segment.p_filesz > segment.p_memsz)
      return std::nullopt;
    switch (segment.p_type) {
    case PT_LOAD:
      if (page_begin(segment.p_vaddr) < segments.memory_size || !(segment.p_flags & PF_R))
        return std::nullopt;
      segments.memory_size = page_end(segment.p_vaddr + segment.p_memsz);
      segments.loaded.push_back(segment);
      break;
    case PT_DYNAMIC:
      segments.dynamic = segment;
      is_dynamic = true;
      break;
    case PT_GNU_RELRO:
      segments.read_only_after_relocation = segment;
      break;
    case PT_TLS:
      return std::nullopt;
    default:
      break;
    }
  }
  if (!is_dynamic || segments.memory_size == 0)
    return std::nullopt;
  return segments;
}

/// The object's own addresses begin at `memory`.
bool relocate(std::span<uint8_t> memory, const DynamicSection &section, std::string &error) {
  const auto relocations = section.relocations();
  if (!relocations) {
    error = "its relocations are broken.";
    return false;
  }
  const auto base = reinterpret_cast<uint64_t>(memory.data());
  const std::vector<std::string> libraries = section.needed();
  for (const DynamicSection::Relocation &relocation : *relocations) {
    uint64_t value = static_cast<uint64_t>(relocation.addend);
    if (relocation.type == host_elf.relative) {
      value += base;
    } else if (std::ranges::find(host_elf.absolute, relocation.type) != host_elf.absolute.end() &&
               !relocation.symbol.empty()) {
      const uint64_t address =
          relocation.is_defined
              ? base + relocation.value
              : reinterpret_cast<uint64_t>(host_symbol(relocation.symbol, libraries, error));
      if (address == 0)
        return false;
      value += address;
    } else {
      error = "it has a relocation of the type " + std::to_string(relocation.type) +
              ", which kernels do not need.";
      return false;
    }
    std::memcpy(memory.data() + relocation.place, &value, sizeof(value));
  }
  return true;
}

/// Gives every segment the access that it asks for.
bool protect(std::span<uint8_t> memory, const Segments &segments) {
  const auto set = [&](uint64_t begin, uint64_t end, int access) {
    return begin >= end || mprotect(memory.data() + begin, end - begin, access) == 0;
  };
  for (const Elf64_Phdr &segment : segments.loaded) {
    int access = PROT_READ;
    access |= segment.p_flags & PF_W ? PROT_WRITE : 0;
    if (segment.p_flags & PF_X) {
      access |= PROT_EXEC;
      auto *begin = reinterpret_cast<char *>(memory.data() + segment.p_vaddr);
      __builtin___clear_cache(begin, begin + segment.p_memsz);
    }
    if (!set(page_begin(segment.p_vaddr), page_end(segment.p_vaddr + segment.p_memsz), access))
      return false;
  }
  const auto &relro = segments.read_only_after_relocation;
  return !relro || !fits(relro->p_vaddr, relro->p_memsz, memory.size()) ||
         set(page_begin(relro->p_vaddr), page_begin(relro->p_vaddr + relro->p_memsz), PROT_READ);
}

} // namespace

std::unique_ptr<const CodeObject>
CodeObject::load(size_t size, const std::function<bool(std::span<uint8_t>, std::string &)> &fill,
                 std::string &error) {
  const auto bytes = std::make_unique_for_overwrite<uint8_t[]>(size);
  const std::span<uint8_t> file(bytes.get(), size);
  if (!fill(file, error))
    return nullptr;
  const std::optional<Segments> segments = read_segments(file);
  if (!segments) {
    error = not_whole;
    return nullptr;
  }
  void *mapping = mmap(nullptr, segments->memory_size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) {
    error = system_error("Mapping memory for its code");
    return nullptr;
  }
  const std::span<uint8_t> memory(static_cast<uint8_t *>(mapping), segments->memory_size);
  std::unique_ptr<CodeObject> object(new CodeObject(memory));
  for (const Elf64_Phdr &segment : segments->loaded)
    std::ranges::copy(file.subspan(segment.p_offset, segment.p_filesz),
                      memory.begin() + static_cast<std::ptrdiff_t>(segment.p_vaddr));
  const auto section =
      DynamicSection::read(memory, segments->dynamic.p_vaddr, segments->dynamic.p_memsz, error);
  if (!section || !relocate(memory, *section, error))
    return nullptr;
  if (!protect(memory, *segments)) {
    error = system_error("Protecting the memory of its code");
    return nullptr;
  }
  object->section_ = *section;
  return object;
}

CodeObject::~CodeObject() {
  munmap(memory_.data(), memory_.size());
}

const void *CodeObject::symbol(std::string_view name) const {
  const auto address = section_->exported(name);
  return address ? memory_.data() + *address : nullptr;
}

} // namespace hostmetal::image
