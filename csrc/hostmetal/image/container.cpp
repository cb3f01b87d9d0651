#include "hostmetal/image/container.hpp"

#include "hostmetal/image/bytes.hpp"
#include "hostmetal/image/image.hpp"

namespace hostmetal::image {
namespace {

constexpr uint64_t magic = 0x0A1A0A0D'474D4948; // "HIMG", then bytes that a text-mode copy damages
constexpr uint32_t container_version = 2;
constexpr uint64_t slice_alignment = 64;
constexpr size_t min_slice_entry_size = 4 + 8 + 8 + 8;

uint64_t align_slice(uint64_t offset) {
  return (offset + slice_alignment - 1) / slice_alignment * slice_alignment;
}

std::string write_table(const std::string &library, const std::vector<SliceEntry> &slices) {
  ByteWriter out;
  out.text(library);
  out.number(static_cast<uint32_t>(slices.size()));
  for (const SliceEntry &slice : slices) {
    out.text(slice.target);
    out.number(slice.offset);
    out.number(slice.size);
    out.number(slice.checksum);
  }
  return out.take();
}

} // namespace

std::string write_container(const Library &library, const std::vector<Slice> &slices) {
  std::vector<SliceEntry> entries;
  for (const Slice &slice : slices)
    entries.push_back({slice.target, 0, slice.code.size(), checksum(as_bytes(slice.code))});
  const std::string functions = serialise(library);
  // Offsets have a fixed width, so the table's size is known before they are.
  const size_t table_size = write_table(functions, entries).size();
  uint64_t end = container_header_size + table_size;
  for (SliceEntry &entry : entries) {
    entry.offset = align_slice(end);
    end = entry.offset + entry.size;
  }
  const std::string table = write_table(functions, entries);

  ByteWriter header;
  header.number(magic);
  header.number(container_version);
  header.number<uint32_t>(HM_ABI_VERSION);
  header.number(static_cast<uint32_t>(table.size()));
  header.number(checksum(as_bytes(table)));
  header.number(end);
  std::string file = header.take() + table;
  for (size_t i = 0; i < slices.size(); ++i) {
    file.resize(entries[i].offset, '\0');
    file += slices[i].code;
  }
  return file;
}

std::optional<ContainerHeader> read_header(std::span<const uint8_t> bytes, uint64_t file_size,
                                           std::string &error) {
  ByteReader in(bytes);
  const auto file_magic = in.number<uint64_t>();
  const auto version = in.number<uint32_t>();
  ContainerHeader header{};
  header.abi_version = in.number<uint32_t>();
  header.table_size = in.number<uint32_t>();
  header.table_checksum = in.number<uint64_t>();
  header.file_size = in.number<uint64_t>();
  if (!in.complete() || file_magic != magic) {
    error = "it is not a kernel image.";
    return std::nullopt;
  }
  if (version != container_version) {
    error = "its format version is " + std::to_string(version) +
            ", and this library reads version " + std::to_string(container_version) + ".";
    return std::nullopt;
  }
  if (header.abi_version != HM_ABI_VERSION) {
    error = "its code has ABI version " + std::to_string(header.abi_version) +
            ", and this library runs version " + std::to_string(HM_ABI_VERSION) + ".";
    return std::nullopt;
  }
  if (header.file_size != file_size) {
    error = "it has " + std::to_string(file_size) + " bytes instead of " +
            std::to_string(header.file_size) + ".";
    return std::nullopt;
  }
  if (header.table_size > file_size - container_header_size) {
    error = "its table does not fit into it.";
    return std::nullopt;
  }
  return header;
}

std::optional<ContainerTable> read_table(std::span<const uint8_t> bytes,
                                         const ContainerHeader &header, std::string &error) {
  if (bytes.size() != header.table_size || checksum(bytes) != header.table_checksum) {
    error = "its table is damaged.";
    return std::nullopt;
  }
  ByteReader in(bytes);
  ContainerTable table;
  table.library = in.text();
  table.slices.resize(in.count(min_slice_entry_size));
  for (SliceEntry &slice : table.slices) {
    if (in.failed())
      break;
    slice.target = in.text();
    slice.offset = in.number<uint64_t>();
    slice.size = in.number<uint64_t>();
    slice.checksum = in.number<uint64_t>();
    if (slice.offset > header.file_size || slice.size > header.file_size - slice.offset)
      in.fail();
  }
  if (!in.complete()) {
    error = "its table is malformed.";
    return std::nullopt;
  }
  return table;
}

} // namespace hostmetal::image
