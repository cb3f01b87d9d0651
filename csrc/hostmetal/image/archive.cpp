#include "hostmetal/image/archive.hpp"

#include "hostmetal/image/abi.h"
#include "hostmetal/image/bytes.hpp"
#include "support/checksum.hpp"

#include <algorithm>

namespace hostmetal::image {
namespace {

// The envelope (magic, size of the file, checksum of all that follows) stays as it is when the
// version changes, so that an old file is told from a broken one.
constexpr uint64_t magic = 0x0A1A0A0D'52414D48; // "HMAR", then bytes that a text-mode copy damages
constexpr size_t envelope_size = 24;
constexpr uint32_t archive_version = 1;
constexpr size_t min_kernel_size = sizeof(metalcore::Digest) + 4 + 4;

std::string write_body(const Archive &archive) {
  ByteWriter out;
  out.number(archive_version);
  out.number<uint32_t>(HM_ABI_VERSION);
  out.text(archive.identity.compiler);
  out.text(archive.identity.cpu);
  out.number(static_cast<uint32_t>(archive.kernels.size()));
  for (const auto &[key, kernel] : archive.kernels) {
    for (const uint8_t byte : key)
      out.number(byte);
    out.text(kernel->name);
    out.text(kernel->code);
  }
  return out.take();
}

} // namespace

std::string write_archive(const Archive &archive) {
  const std::string body = write_body(archive);
  ByteWriter envelope;
  envelope.number(magic);
  envelope.number<uint64_t>(envelope_size + body.size());
  envelope.number(metalcore::checksum(as_bytes(body)));
  return envelope.take() + body;
}

std::optional<Archive> read_archive(std::span<const uint8_t> bytes, std::string &error) {
  ByteReader envelope(bytes.first(std::min(bytes.size(), envelope_size)));
  const bool has_magic = envelope.number<uint64_t>() == magic;
  const auto size = envelope.number<uint64_t>();
  const auto expected = envelope.number<uint64_t>();
  if (!envelope.complete() || !has_magic) {
    error = "it is not a binary archive.";
    return std::nullopt;
  }
  if (size != bytes.size()) {
    error = "it has " + std::to_string(bytes.size()) + " bytes instead of " + std::to_string(size) +
            ".";
    return std::nullopt;
  }
  const std::span<const uint8_t> body = bytes.subspan(envelope_size);
  if (metalcore::checksum(body) != expected) {
    error = "it is damaged.";
    return std::nullopt;
  }
  ByteReader in(body);
  if (in.number<uint32_t>() != archive_version || in.number<uint32_t>() != HM_ABI_VERSION)
    return Archive();
  Archive archive;
  archive.identity.compiler = in.text();
  archive.identity.cpu = in.text();
  const uint32_t count = in.count(min_kernel_size);
  for (uint32_t i = 0; i < count && !in.failed(); ++i) {
    metalcore::Digest key;
    for (uint8_t &byte : key)
      byte = in.number<uint8_t>();
    const std::string_view name = in.text();
    const std::string_view code = in.text();
    archive.kernels.emplace(
        key, std::make_shared<const ArchivedKernel>(std::string(name), std::string(code)));
  }
  if (!in.complete()) {
    error = "it is malformed.";
    return std::nullopt;
  }
  return archive;
}

} // namespace hostmetal::image
