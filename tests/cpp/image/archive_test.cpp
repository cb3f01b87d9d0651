#include "hostmetal/image/archive.hpp"

#include "hostmetal/image/bytes.hpp"
#include "support/checksum.hpp"

#include <gtest/gtest.h>

namespace hostmetal::image {
namespace {

constexpr size_t envelope_size = 24;

std::shared_ptr<const ArchivedKernel> kernel(const std::string &name, const std::string &code) {
  return std::make_shared<const ArchivedKernel>(name, code);
}

Archive small_archive() {
  Archive archive;
  archive.identity = {"0123abcd", "cpu"};
  archive.kernels = {{metalcore::sha256("a"), kernel("first", "code of first")},
                     {metalcore::sha256("b"), kernel("second", std::string(1000, '\0'))},
                     {metalcore::sha256("c"), kernel("third", "")}};
  return archive;
}

std::optional<Archive> read(const std::string &bytes, std::string &error) {
  return read_archive(as_bytes(bytes), error);
}

/// The archive with other bytes in its body and the checksum that belongs to them.
std::string with_body(std::string file, size_t place, const std::string &bytes) {
  file.replace(envelope_size + place, bytes.size(), bytes);
  ByteWriter checksum;
  checksum.number(metalcore::checksum(as_bytes(std::string_view(file).substr(envelope_size))));
  return file.replace(16, 8, checksum.take());
}

TEST(Archive, HoldsWhatWasWritten) {
  const Archive archive = small_archive();
  std::string error;
  const auto result = read(write_archive(archive), error);
  ASSERT_TRUE(result) << error;
  EXPECT_EQ(result->identity, archive.identity);
  ASSERT_EQ(result->kernels.size(), archive.kernels.size());
  for (const auto &[key, expected] : archive.kernels) {
    const auto found = result->kernels.find(key);
    ASSERT_NE(found, result->kernels.end());
    EXPECT_EQ(found->second->name, expected->name);
    EXPECT_EQ(found->second->code, expected->code);
  }
}

TEST(Archive, BytesDependOnNoOrder) {
  Archive reversed;
  reversed.identity = small_archive().identity;
  for (const char *name : {"c", "b", "a"})
    reversed.kernels.emplace(metalcore::sha256(name),
                             small_archive().kernels.at(metalcore::sha256(name)));
  EXPECT_EQ(write_archive(reversed), write_archive(small_archive()));
}

TEST(Archive, WithoutKernelsIsReadable) {
  std::string error;
  const auto result = read(write_archive({}), error);
  ASSERT_TRUE(result) << error;
  EXPECT_TRUE(result->kernels.empty());
}

TEST(Archive, EveryLengthButTheWholeIsAnError) {
  const std::string file = write_archive(small_archive());
  for (size_t size = 0; size < file.size(); ++size) {
    std::string error;
    EXPECT_FALSE(read(file.substr(0, size), error)) << size;
    EXPECT_FALSE(error.empty()) << size;
  }
  std::string error;
  EXPECT_FALSE(read(file + '\0', error));
}

TEST(Archive, EveryChangedByteIsAnError) {
  const std::string file = write_archive(small_archive());
  for (size_t place = 0; place < file.size(); ++place)
    for (const unsigned change : {1, 0x80, 0xff}) {
      std::string changed = file, error;
      changed[place] = static_cast<char>(changed[place] ^ change);
      EXPECT_FALSE(read(changed, error)) << place;
    }
}

TEST(Archive, NoBodyIsReadOutsideOfItself) {
  // Whoever makes the checksum right gets past it: the reader must not rely on it.
  const std::string file = write_archive(small_archive());
  for (size_t place = 0; place + envelope_size < file.size(); ++place)
    for (const char *bytes : {"\xff", "\x7f\xff\xff\xff", "\x01"}) {
      if (place + std::string(bytes).size() + envelope_size > file.size())
        continue;
      std::string error;
      const auto result = read(with_body(file, place, bytes), error);
      EXPECT_TRUE(result || !error.empty()) << place;
    }
}

TEST(Archive, AnotherVersionIsAnArchiveWithoutKernels) {
  const std::string file = write_archive(small_archive());
  for (const size_t place : {0, 4}) { // of the format, of the kernel ABI
    std::string error;
    const auto result = read(with_body(file, place, "\x7f"), error);
    ASSERT_TRUE(result) << error;
    EXPECT_TRUE(result->kernels.empty());
    EXPECT_EQ(result->identity, ArchiveIdentity());
  }
}

} // namespace
} // namespace hostmetal::image
