#include "hostmetal/image/dynamic_section.hpp"

#include <algorithm>
#include <cstring>

namespace hostmetal::image {

template <typename T> std::optional<T> DynamicSection::at(uint64_t address) const {
  if (address > memory_.size() || memory_.size() - address < sizeof(T))
    return std::nullopt;
  T value;
  std::memcpy(&value, memory_.data() + address, sizeof(T));
  return value;
}

std::optional<DynamicSection> DynamicSection::read(std::span<const uint8_t> memory,
                                                   uint64_t address, uint64_t size,
                                                   std::string &error) {
  DynamicSection section(memory);
  uint64_t hash = 0;
  for (uint64_t end = address + size; address < end; address += sizeof(Elf64_Dyn)) {
    const auto entry = section.at<Elf64_Dyn>(address);
    if (!entry || entry->d_tag == DT_NULL)
      break;
    const uint64_t value = entry->d_un.d_val;
    switch (entry->d_tag) {
    case DT_HASH:
      hash = value;
      break;
    case DT_SYMTAB:
      section.symbols_ = value;
      break;
    case DT_STRTAB:
      section.names_ = value;
      break;
    case DT_STRSZ:
      section.names_size_ = value;
      break;
    case DT_RELA:
      section.relocations_ = value;
      break;
    case DT_RELASZ:
      section.relocations_size_ = value;
      break;
    case DT_JMPREL:
      section.calls_ = value;
      break;
    case DT_PLTRELSZ:
      section.calls_size_ = value;
      break;
    case DT_NEEDED:
      section.needed_.push_back(value);
      break;
    case DT_INIT:
    case DT_INIT_ARRAY:
    case DT_PREINIT_ARRAY:
    case DT_FINI:
    case DT_FINI_ARRAY:
    case DT_REL:
    case DT_RELR:
    case DT_TEXTREL:
      error = "its dynamic section has the entry " + std::to_string(entry->d_tag) +
              ", which kernels do not need.";
      return std::nullopt;
    default: // nothing that would have to be done
      break;
    }
  }
  // A hash table's second word is the number of symbols.
  const auto count = hash == 0 ? std::nullopt : section.at<uint32_t>(hash + sizeof(uint32_t));
  if (!count) {
    error = "it has no table of its symbols.";
    return std::nullopt;
  }
  section.symbol_count_ = *count;
  return section;
}

std::optional<std::string> DynamicSection::name(uint64_t offset) const {
  if (offset >= names_size_ || names_ > memory_.size() || names_size_ > memory_.size() - names_)
    return std::nullopt;
  const auto rest = memory_.subspan(names_ + offset, names_size_ - offset);
  const auto end = std::ranges::find(rest, uint8_t{0});
  if (end == rest.end())
    return std::nullopt;
  return std::string(rest.begin(), end);
}

std::optional<Elf64_Sym> DynamicSection::symbol(uint64_t index) const {
  if (index >= symbol_count_)
    return std::nullopt;
  return at<Elf64_Sym>(symbols_ + index * sizeof(Elf64_Sym));
}

std::vector<std::string> DynamicSection::needed() const {
  std::vector<std::string> names;
  for (const uint64_t offset : needed_)
    names.push_back(name(offset).value_or(""));
  return names;
}

std::optional<uint64_t> DynamicSection::exported(std::string_view wanted) const {
  for (uint64_t i = 1; i < symbol_count_; ++i) {
    const auto entry = symbol(i);
    if (!entry)
      break;
    if (entry->st_shndx != SHN_UNDEF && entry->st_value <= memory_.size() &&
        entry->st_size <= memory_.size() - entry->st_value && name(entry->st_name) == wanted)
      return entry->st_value;
  }
  return std::nullopt;
}

std::optional<std::vector<DynamicSection::Relocation>> DynamicSection::relocations() const {
  std::vector<Relocation> all;
  if (!read_relocations(relocations_, relocations_size_, all) ||
      !read_relocations(calls_, calls_size_, all))
    return std::nullopt;
  return all;
}

bool DynamicSection::read_relocations(uint64_t address, uint64_t size,
                                      std::vector<Relocation> &into) const {
  for (uint64_t i = 0; i < size / sizeof(Elf64_Rela); ++i) {
    const auto entry = at<Elf64_Rela>(address + i * sizeof(Elf64_Rela));
    if (!entry || !at<uint64_t>(entry->r_offset))
      return false;
    Relocation relocation{.place = entry->r_offset,
                          .type = static_cast<uint32_t>(ELF64_R_TYPE(entry->r_info)),
                          .addend = entry->r_addend,
                          .symbol = {}};
    if (const uint64_t index = ELF64_R_SYM(entry->r_info); index != 0) {
      const auto used = symbol(index);
      auto name_of_used = used ? name(used->st_name) : std::nullopt;
      if (!name_of_used || name_of_used->empty())
        return false;
      relocation.symbol = std::move(*name_of_used);
      relocation.is_defined = used->st_shndx != SHN_UNDEF;
      relocation.value = used->st_value;
    }
    into.push_back(std::move(relocation));
  }
  return true;
}

} // namespace hostmetal::image
