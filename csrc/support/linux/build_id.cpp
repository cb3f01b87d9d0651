#include "support/linux/build_id.hpp"

#include "support/file_descriptor.hpp"
#include "support/sha256.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include <elf.h>
#include <fcntl.h>
#include <link.h>

namespace metalcore {

namespace {

// Far beyond what linkers write; a broken file cannot make the reader allocate more.
constexpr uint64_t max_note_bytes = 64 << 10;
constexpr uint64_t max_segments = 1024;

template <typename T> bool read_at(int file, uint64_t offset, T &value) {
  return read_fully_at(file, offset, reinterpret_cast<char *>(&value), sizeof value);
}

uint64_t align(uint64_t size) {
  return (size + 3) / 4 * 4;
}

std::optional<std::string> find_in_notes(std::span<const uint8_t> notes) {
  ElfW(Nhdr) note;
  while (notes.size() >= sizeof note) {
    std::memcpy(&note, notes.data(), sizeof note);
    const uint64_t content = sizeof note + align(note.n_namesz);
    const uint64_t end = content + align(note.n_descsz);
    if (content + note.n_descsz > notes.size())
      return std::nullopt;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof ELF_NOTE_GNU &&
        std::memcmp(notes.data() + sizeof note, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0 &&
        note.n_descsz > 0)
      return to_hex(notes.subspan(content, note.n_descsz));
    if (end >= notes.size())
      return std::nullopt;
    notes = notes.subspan(end);
  }
  return std::nullopt;
}

struct Search {
  uintptr_t address;
  std::optional<std::string> id;
};

int visit_object(dl_phdr_info *object, std::size_t, void *data) {
  auto &search = *static_cast<Search *>(data);
  const auto segments = std::span(object->dlpi_phdr, object->dlpi_phnum);
  const bool is_it = std::ranges::any_of(segments, [&](const ElfW(Phdr) & segment) {
    const uintptr_t begin = object->dlpi_addr + segment.p_vaddr;
    return segment.p_type == PT_LOAD && search.address >= begin &&
           search.address - begin < segment.p_memsz;
  });
  if (!is_it)
    return 0;
  for (const ElfW(Phdr) & segment : segments)
    if (segment.p_type == PT_NOTE && !search.id)
      search.id =
          find_in_notes({reinterpret_cast<const uint8_t *>(object->dlpi_addr + segment.p_vaddr),
                         segment.p_memsz});
  return 1;
}

} // namespace

std::optional<std::string> build_id_of_file(const std::string &path) {
  // Opening a pipe must not wait for its other end.
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  Elf64_Ehdr header;
  if (!file || !read_at(file.get(), 0, header) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_phentsize != sizeof(Elf64_Phdr) ||
      header.e_phnum > max_segments)
    return std::nullopt;
  for (uint64_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    if (!read_at(file.get(), header.e_phoff + i * sizeof segment, segment))
      return std::nullopt;
    if (segment.p_type != PT_NOTE || segment.p_filesz > max_note_bytes)
      continue;
    std::vector<uint8_t> notes(segment.p_filesz);
    if (!read_fully_at(file.get(), segment.p_offset, reinterpret_cast<char *>(notes.data()),
                       notes.size()))
      continue;
    if (std::optional<std::string> id = find_in_notes(notes))
      return id;
  }
  return std::nullopt;
}

std::optional<std::string> build_id_of_object(const void *address) {
  Search search{reinterpret_cast<uintptr_t>(address), std::nullopt};
  dl_iterate_phdr(visit_object, &search);
  return std::move(search.id);
}

} // namespace metalcore
