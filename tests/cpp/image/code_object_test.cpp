#include "hostmetal/image/code_object.hpp"

#include "support/child.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <sstream>
#include <vector>

#include <dlfcn.h>
#include <elf.h>
#include <sys/resource.h>

namespace hostmetal::image {
namespace {

class CodeObjectTest : public testing::Test {
protected:
  CodeObjectTest() {
    std::ostringstream bytes;
    bytes << std::ifstream(IMAGE_FIXTURE, std::ios::binary).rdbuf();
    whole_ = std::move(bytes).str();
  }

  CodeObject load(const std::string &bytes) {
    error_.clear();
    return load_code_object(
        bytes.size(),
        [&](std::span<uint8_t> place, std::string &) {
          std::memcpy(place.data(), bytes.data(), bytes.size());
          return true;
        },
        error_);
  }
  /// The file with a change of its header.
  template <typename Change> std::string with(Change change) const {
    std::string bytes = whole_;
    Elf64_Ehdr header;
    std::memcpy(&header, bytes.data(), sizeof header);
    change(header);
    std::memcpy(bytes.data(), &header, sizeof header);
    return bytes;
  }

  std::string whole_, error_;
};

const char *const not_whole = "it holds no whole ELF shared object for this machine.";

TEST_F(CodeObjectTest, IsLoadedFromBytes) {
  const CodeObject object = load(whole_);
  ASSERT_TRUE(object) << error_;
  EXPECT_TRUE(dlsym(object.get(), "hostmetal_image"));
  const CodeObject other = load(whole_); // not the same one once more
  ASSERT_TRUE(other) << error_;
  EXPECT_NE(dlsym(object.get(), "hostmetal_image"), dlsym(other.get(), "hostmetal_image"));
}

TEST_F(CodeObjectTest, IsRefusedUnlessItIsWholeAndOfThisMachine) {
  std::vector<std::string> wrong = {"", "text", std::string(1000, 'x'),
                                    whole_.substr(0, sizeof(Elf64_Ehdr)),
                                    whole_.substr(0, whole_.size() / 2)};
  wrong.push_back(with([](Elf64_Ehdr &header) { header.e_ident[EI_CLASS] = ELFCLASS32; }));
  wrong.push_back(with([](Elf64_Ehdr &header) { header.e_ident[EI_DATA] = ELFDATA2MSB; }));
  wrong.push_back(with([](Elf64_Ehdr &header) { header.e_type = ET_EXEC; }));
  wrong.push_back(with([](Elf64_Ehdr &header) { header.e_machine = EM_SPARC; }));
  wrong.push_back(with([](Elf64_Ehdr &header) { header.e_phentsize = 1; }));
  wrong.push_back(with([](Elf64_Ehdr &header) { header.e_phnum = 0; }));
  wrong.push_back(with([](Elf64_Ehdr &header) { header.e_phoff = ~uint64_t{0}; }));
  wrong.push_back(with([](Elf64_Ehdr &header) { header.e_shoff = ~uint64_t{0} - 1; }));
  // A segment beyond the end.
  std::string bytes = whole_;
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  const uint64_t size = bytes.size();
  std::memcpy(bytes.data() + header.e_phoff + offsetof(Elf64_Phdr, p_filesz), &size, sizeof size);
  std::memcpy(bytes.data() + header.e_phoff + offsetof(Elf64_Phdr, p_offset), &size, sizeof size);
  wrong.push_back(bytes);
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    EXPECT_FALSE(load(wrong[i])) << i;
    EXPECT_EQ(error_, not_whole) << i;
  }
}

TEST_F(CodeObjectTest, SaysWhatTheLoaderSays) {
  // It needs a library that there is not.
  std::string bytes = whole_;
  const std::size_t name = bytes.find("libc.so.6");
  ASSERT_NE(name, bytes.npos);
  bytes[name + 3] = '#';
  EXPECT_FALSE(load(bytes));
  EXPECT_NE(error_.find("loading its code failed: lib#.so.6"), error_.npos) << error_;
}

TEST_F(CodeObjectTest, SaysWhyItsBytesCannotBeMade) {
  std::string error;
  EXPECT_FALSE(load_code_object(
      1000, [](std::span<uint8_t>, std::string &why) { return why = "no bytes", false; }, error));
  EXPECT_EQ(error, "no bytes");
}

TEST_F(CodeObjectTest, LimitsOfTheProcessEndNoProcess) {
  const auto error_with = [&](int resource, rlim_t most) {
    const rlimit limit{most, most};
    setrlimit(resource, &limit);
    return load(whole_) ? "" : error_;
  };
  EXPECT_EQ(metalcore::test::exit_code_of_child([&] {
              return error_with(RLIMIT_FSIZE, whole_.size() - 1) ==
                             "Creating memory for its code failed: File too large."
                         ? 0
                         : 1;
            }),
            0);
  EXPECT_EQ(metalcore::test::exit_code_of_child([&] {
              return error_with(RLIMIT_NOFILE, 0) ==
                             "Creating memory for its code failed: Too many open files."
                         ? 0
                         : 1;
            }),
            0);
}

} // namespace
} // namespace hostmetal::image
