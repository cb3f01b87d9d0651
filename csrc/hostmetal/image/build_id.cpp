#include "hostmetal/image/build_id.hpp"

#include "hostmetal/image/file.hpp"
#include "support/sha256.hpp"

#include <cstring>
#include <elf.h>
#include <vector>

namespace hostmetal::image {

namespace {

// Far beyond what linkers write; a broken file cannot make the reader allocate more.
constexpr uint64_t max_note_bytes = 64 << 10;
constexpr uint64_t max_segments = 1024;

template <typename T> bool read(const File &file, uint64_t offset, T &value) {
  return file.read(offset, {reinterpret_cast<uint8_t *>(&value), sizeof(value)});
}

uint64_t align(uint64_t size) {
  return (size + 3) / 4 * 4;
}

std::optional<std::string> find_in_notes(std::span<const uint8_t> notes) {
  Elf64_Nhdr note;
  while (notes.size() >= sizeof(note)) {
    std::memcpy(&note, notes.data(), sizeof(note));
    const uint64_t content = sizeof(note) + align(note.n_namesz);
    const uint64_t end = content + align(note.n_descsz);
    if (content + note.n_descsz > notes.size())
      return std::nullopt;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof(ELF_NOTE_GNU) &&
        std::memcmp(notes.data() + sizeof(note), ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) == 0 &&
        note.n_descsz > 0)
      return metalcore::to_hex(notes.subspan(content, note.n_descsz));
    if (end >= notes.size())
      return std::nullopt;
    notes = notes.subspan(end);
  }
  return std::nullopt;
}

} // namespace

std::optional<std::string> build_id(const std::string &path) {
  const File file(path);
  Elf64_Ehdr header;
  if (!file.is_regular() || !read(file, 0, header) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_phentsize != sizeof(Elf64_Phdr) ||
      header.e_phnum > max_segments)
    return std::nullopt;
  for (uint64_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    if (header.e_phoff > file.size() || !read(file, header.e_phoff + i * sizeof(segment), segment))
      return std::nullopt;
    if (segment.p_type != PT_NOTE || segment.p_filesz > max_note_bytes ||
        segment.p_offset > file.size())
      continue;
    std::vector<uint8_t> notes(segment.p_filesz);
    if (!file.read(segment.p_offset, notes))
      continue;
    if (std::optional<std::string> id = find_in_notes(notes))
      return id;
  }
  return std::nullopt;
}

} // namespace hostmetal::image
