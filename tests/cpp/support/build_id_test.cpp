#include "support/linux/build_id.hpp"

#include "temporary_folder.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include <dlfcn.h>
#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

namespace metalcore {
namespace {

class BuildIdTest : public testing::Test {
protected:
  const test::TemporaryFolder folder_;

  std::string write(const std::string &bytes) {
    const std::filesystem::path path = folder_ / "file";
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
};

std::string object() {
  std::ostringstream bytes;
  bytes << std::ifstream(OBJECT_WITH_BUILD_ID, std::ios::binary).rdbuf();
  return bytes.str();
}

TEST_F(BuildIdTest, IsWhatTheLinkerWasTold) {
  EXPECT_EQ(build_id_of_file(OBJECT_WITH_BUILD_ID), BUILD_ID);
}

TEST_F(BuildIdTest, IsMissingWhereThereIsNone) {
  EXPECT_EQ(build_id_of_file(OBJECT_WITHOUT_BUILD_ID), std::nullopt);
  EXPECT_EQ(build_id_of_file(folder_ / "nothing"), std::nullopt);
  EXPECT_EQ(build_id_of_file(folder_.path()), std::nullopt);
  EXPECT_EQ(build_id_of_file(write("")), std::nullopt);
  EXPECT_EQ(build_id_of_file(write(std::string(1000, 'x'))), std::nullopt);
  const std::string pipe = folder_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(build_id_of_file(pipe), std::nullopt);
}

TEST_F(BuildIdTest, ComesFromNoBrokenFile) {
  const std::string whole = object();
  const std::string path = write(whole.substr(0, 2048));
  for (size_t size = 2048; size-- > 0;) {
    std::filesystem::resize_file(path, size);
    const auto id = build_id_of_file(path);
    EXPECT_TRUE(!id || *id == BUILD_ID) << size;
  }
  // Whatever the headers say, the answer is an id of some bytes, or none.
  write(whole);
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  const auto put = [&](size_t place, char byte) {
    file.seekp(static_cast<std::streamoff>(place)).put(byte).flush();
  };
  for (size_t place = 0; place < 1024; ++place) {
    for (const unsigned change : {1, 0x80, 0xff}) {
      put(place, static_cast<char>(whole[place] ^ change));
      const auto id = build_id_of_file(path);
      EXPECT_TRUE(!id || (!id->empty() && id->size() % 2 == 0)) << place;
    }
    put(place, whole[place]);
  }
}

/// One note, padded to words.
std::string note(uint32_t type, std::string name, std::string content) {
  const Elf64_Nhdr header{static_cast<Elf64_Word>(name.size()),
                          static_cast<Elf64_Word>(content.size()), type};
  name.resize((name.size() + 3) / 4 * 4);
  content.resize((content.size() + 3) / 4 * 4);
  return std::string(reinterpret_cast<const char *>(&header), sizeof header) + name + content;
}

/// An ELF file that has nothing but notes.
std::string object_of(const std::vector<std::string> &segments) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_phoff = sizeof header;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = static_cast<Elf64_Half>(segments.size());
  std::string bytes(reinterpret_cast<const char *>(&header), sizeof header);
  uint64_t place = sizeof header + segments.size() * sizeof(Elf64_Phdr);
  for (const std::string &segment : segments) {
    Elf64_Phdr entry{};
    entry.p_type = PT_NOTE;
    entry.p_offset = place;
    entry.p_filesz = segment.size();
    place += segment.size();
    bytes.append(reinterpret_cast<const char *>(&entry), sizeof entry);
  }
  for (const std::string &segment : segments)
    bytes += segment;
  return bytes;
}

TEST_F(BuildIdTest, IsFoundAmongOtherNotes) {
  const std::string gnu("GNU\0", 4);
  const std::string wanted = note(NT_GNU_BUILD_ID, gnu, "\x01\xab\xff");
  const std::string version = note(NT_GNU_ABI_TAG, gnu, std::string(16, 'v'));
  const std::string foreign = note(NT_GNU_BUILD_ID, std::string("Go\0", 3), "other");
  EXPECT_EQ(build_id_of_file(write(object_of({wanted}))), "01abff");
  EXPECT_EQ(build_id_of_file(write(object_of({version + foreign + wanted}))), "01abff");
  EXPECT_EQ(build_id_of_file(write(object_of({version, foreign, "", wanted}))), "01abff");
  EXPECT_EQ(build_id_of_file(write(object_of({version + foreign}))), std::nullopt);
  EXPECT_EQ(build_id_of_file(write(object_of({note(NT_GNU_BUILD_ID, gnu, "")}))), std::nullopt);
  EXPECT_EQ(build_id_of_file(write(object_of({}))), std::nullopt);
  // What is left is no whole note, or says that it is longer than it is.
  EXPECT_EQ(build_id_of_file(write(object_of({version + "rest"}))), std::nullopt);
  EXPECT_EQ(build_id_of_file(write(object_of({wanted.substr(0, wanted.size() - 2)}))),
            std::nullopt);
  // A damaged segment does not hide a whole one; one that is too large is not read.
  EXPECT_EQ(build_id_of_file(write(object_of({foreign.substr(0, 13), wanted}))), "01abff");
  EXPECT_EQ(build_id_of_file(write(object_of({wanted + std::string(64 << 10, '\0')}))),
            std::nullopt);
}

/// The address of a variable in a library, which stays loaded.
const void *address_in(const char *library) {
  void *opened = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  return opened ? dlsym(opened, "something") : nullptr;
}

TEST(BuildIdOfObject, IsThatOfTheLibraryWithTheAddress) {
  const void *address = address_in(OBJECT_WITH_BUILD_ID);
  ASSERT_TRUE(address) << dlerror();
  EXPECT_EQ(build_id_of_object(address), BUILD_ID);
}

TEST(BuildIdOfObject, IsMissingWhereThereIsNone) {
  const void *address = address_in(OBJECT_WITHOUT_BUILD_ID);
  ASSERT_TRUE(address) << dlerror();
  EXPECT_EQ(build_id_of_object(address), std::nullopt);
  const int local = 0; // in no library
  EXPECT_EQ(build_id_of_object(&local), std::nullopt);
  EXPECT_EQ(build_id_of_object(nullptr), std::nullopt);
}

} // namespace
} // namespace metalcore
