#include "hostmetal/image/container.hpp"

#include "hostmetal/image/bytes.hpp"
#include "hostmetal/image/image.hpp"

#include <gtest/gtest.h>

namespace hostmetal::image {
namespace {

const Library library = {
    {{"fill", Function::Kind::kernel, {}}, {"scan", Function::Kind::kernel, {}}}};

std::optional<ContainerTable> read(const std::string &file, std::string &error) {
  const auto bytes = as_bytes(file);
  if (bytes.size() < container_header_size)
    return std::nullopt;
  const auto header = read_header(bytes.first(container_header_size), bytes.size(), error);
  if (!header)
    return std::nullopt;
  return read_table(bytes.subspan(container_header_size, header->table_size), *header, error);
}

TEST(Container, HoldsWhatWasWritten) {
  const std::vector<Slice> slices = {{"x86-64-v2", "first"}, {"x86-64-v4", std::string(5000, 'x')}};
  const std::string file = write_container(library, slices);
  std::string error;
  const auto table = read(file, error);
  ASSERT_TRUE(table) << error;
  EXPECT_EQ(parse_library(as_bytes(table->library)), library);
  ASSERT_EQ(table->slices.size(), slices.size());
  for (size_t i = 0; i < slices.size(); ++i) {
    const SliceEntry &entry = table->slices[i];
    EXPECT_EQ(entry.target, slices[i].target);
    EXPECT_EQ(entry.offset % 64, 0u);
    EXPECT_EQ(file.substr(entry.offset, entry.size), slices[i].code);
    EXPECT_EQ(entry.checksum, checksum(as_bytes(slices[i].code)));
  }
}

TEST(Container, BytesAreStable) {
  const std::vector<Slice> slices = {{"x86-64-v2", "a"}, {"x86-64-v3", "b"}};
  EXPECT_EQ(write_container(library, slices), write_container(library, slices));
}

TEST(Container, WithoutSlicesIsReadable) {
  std::string error;
  const auto table = read(write_container({}, {}), error);
  ASSERT_TRUE(table) << error;
  EXPECT_TRUE(table->slices.empty());
}

TEST(Container, EveryChangedByteOfHeaderAndTableIsAnError) {
  const std::string file = write_container(library, {{"x86-64-v2", "code"}});
  std::string error;
  const size_t end = container_header_size + as_bytes(file)[16]; // the table is below 256 bytes
  for (size_t place = 0; place < end; ++place)
    for (unsigned change = 1; change < 256; ++change) {
      std::string changed = file;
      changed[place] = static_cast<char>(changed[place] ^ change);
      EXPECT_FALSE(read(changed, error)) << place;
    }
}

TEST(Container, EveryTruncationIsAnError) {
  const std::string file = write_container(library, {{"x86-64-v2", "code"}});
  std::string error;
  for (size_t size = 0; size < file.size(); ++size)
    EXPECT_FALSE(read(file.substr(0, size), error)) << size;
}

} // namespace
} // namespace hostmetal::image
