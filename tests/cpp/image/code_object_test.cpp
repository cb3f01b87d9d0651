#include "hostmetal/image/code_object.hpp"

#include "hostmetal/image/abi.h"
#include "support/child.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <random>
#include <sstream>
#include <vector>

#include <elf.h>
#include <sys/resource.h>

namespace hostmetal::image {
namespace {

std::string contents(const char *path) {
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return std::move(bytes).str();
}

/// The permissions of the mapping that holds an address, as /proc writes them.
std::string access_of(const void *address) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    uintptr_t begin = 0, end = 0;
    char access[5] = "";
    if (std::sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, access) == 3 &&
        reinterpret_cast<uintptr_t>(address) - begin < end - begin)
      return access;
  }
  return "";
}

class CodeObjectTest : public testing::Test {
protected:
  std::unique_ptr<const CodeObject> load(const std::string &bytes) {
    error_.clear();
    return CodeObject::load(
        bytes.size(),
        [&](std::span<uint8_t> place, std::string &) {
          std::memcpy(place.data(), bytes.data(), bytes.size());
          return true;
        },
        error_);
  }
  const HmImage &image_of(const CodeObject &object) {
    return *static_cast<const HmImage *>(object.symbol(HM_IMAGE_SYMBOL));
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
  /// The file with a change of all program headers of a type.
  template <typename Change> std::string with(uint32_t type, Change change) const {
    std::string bytes = whole_;
    Elf64_Ehdr header;
    std::memcpy(&header, bytes.data(), sizeof header);
    for (size_t i = 0; i < header.e_phnum; ++i) {
      char *place = bytes.data() + header.e_phoff + i * sizeof(Elf64_Phdr);
      Elf64_Phdr segment;
      std::memcpy(&segment, place, sizeof segment);
      if (segment.p_type == type)
        change(segment);
      std::memcpy(place, &segment, sizeof segment);
    }
    return bytes;
  }

  const std::string whole_ = contents(IMAGE_FIXTURE);
  std::string error_;
};

const char *const not_whole = "it holds no whole ELF shared object for this machine.";

TEST_F(CodeObjectTest, IsLoadedFromBytes) {
  const auto object = load(whole_);
  ASSERT_TRUE(object) << error_;
  const HmImage &image = image_of(*object);
  EXPECT_EQ(image.abi_version, HM_ABI_VERSION);
  ASSERT_EQ(image.kernel_count, 2u);
  EXPECT_STREQ(image.kernels[0].name, "fill");
  EXPECT_STREQ(image.kernels[1].name, "scan");
  const auto other = load(whole_); // not the same one once more
  ASSERT_TRUE(other) << error_;
  EXPECT_NE(&image_of(*other), &image);
  EXPECT_EQ(object->symbol("hostmetal"), nullptr);
  EXPECT_EQ(object->symbol("toupper"), nullptr); // it uses that one
  EXPECT_EQ(object->symbol(""), nullptr);
}

TEST_F(CodeObjectTest, ItsCodeCallsTheSystemsLibraries) {
  const auto object = load(whole_);
  ASSERT_TRUE(object) << error_;
  uint32_t out = 0;
  void *const arguments[] = {&out};
  HmGrid grid{};
  grid.arguments = arguments;
  HmGroup group{};
  group.grid = &grid;
  image_of(*object).kernels[1].code.thread(&group, nullptr);
  EXPECT_EQ(out, 'A');
}

TEST_F(CodeObjectTest, NothingIsWritableAndExecutable) {
  const auto object = load(whole_);
  ASSERT_TRUE(object) << error_;
  const HmImage &image = image_of(*object);
  EXPECT_EQ(access_of(reinterpret_cast<const void *>(image.kernels[0].code.row)), "r-xp");
  EXPECT_EQ(access_of(&image), "r--p"); // relocated, and read-only since
  EXPECT_EQ(access_of(image.kernels[0].reflection), "r--p");
}

TEST_F(CodeObjectTest, ItsMemoryIsGivenBack) {
  auto object = load(whole_);
  ASSERT_TRUE(object) << error_;
  const void *code = reinterpret_cast<const void *>(image_of(*object).kernels[0].code.row);
  object.reset();
  EXPECT_NE(access_of(code), "r-xp");
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
  const uint64_t size = whole_.size();
  wrong.push_back(with(PT_LOAD, [&](Elf64_Phdr &segment) { segment.p_offset = size; }));
  wrong.push_back(with(PT_LOAD, [&](Elf64_Phdr &segment) { segment.p_filesz = size; }));
  wrong.push_back(with(PT_LOAD, [](Elf64_Phdr &segment) { segment.p_memsz = 0; }));
  wrong.push_back(with(PT_LOAD, [](Elf64_Phdr &segment) { segment.p_vaddr = 0; }));
  wrong.push_back(with(PT_LOAD, [](Elf64_Phdr &segment) { segment.p_vaddr = ~uint64_t{0}; }));
  wrong.push_back(with(PT_LOAD, [](Elf64_Phdr &segment) { segment.p_memsz = ~uint64_t{0}; }));
  wrong.push_back(with(PT_LOAD, [](Elf64_Phdr &segment) { segment.p_flags = PF_X; }));
  wrong.push_back(with(PT_LOAD, [](Elf64_Phdr &segment) { segment.p_type = PT_NULL; }));
  wrong.push_back(with(PT_DYNAMIC, [](Elf64_Phdr &segment) { segment.p_type = PT_NULL; }));
  wrong.push_back(with(PT_DYNAMIC, [](Elf64_Phdr &segment) { segment.p_type = PT_TLS; }));
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    EXPECT_FALSE(load(wrong[i])) << i;
    EXPECT_EQ(error_, not_whole) << i;
  }
}

TEST_F(CodeObjectTest, IsRefusedWhenItWantsCodeRun) {
  EXPECT_FALSE(load(contents(IMAGE_WITH_CONSTRUCTOR)));
  EXPECT_EQ(error_, "its dynamic section has the entry " + std::to_string(DT_INIT_ARRAY) +
                        ", which kernels do not need.");
}

TEST_F(CodeObjectTest, SaysWhatTheLoaderSaysOfALibrary) {
  // It needs a library that there is not.
  std::string bytes = whole_;
  const std::size_t name = bytes.find("libc.so.6");
  ASSERT_NE(name, bytes.npos);
  bytes[name + 3] = '#';
  EXPECT_FALSE(load(bytes));
  EXPECT_NE(error_.find("loading its code failed: lib#.so.6"), error_.npos) << error_;
}

TEST_F(CodeObjectTest, NamesAFunctionThatIsMissing) {
  std::string bytes = whole_;
  const std::size_t name = bytes.find("toupper");
  ASSERT_NE(name, bytes.npos);
  bytes[name] = '#';
  EXPECT_FALSE(load(bytes));
  EXPECT_EQ(error_, "the system's libraries lack \"#oupper\", which its code calls.");
}

// Behind a checksum nothing is damaged; but whatever a file holds, to load it does no harm.
TEST_F(CodeObjectTest, DamageIsHarmless) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  int refused = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string bytes = whole_;
    for (unsigned changes = 1 + random() % 3; changes > 0; --changes)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    const auto object = load(bytes);
    refused += !object;
    EXPECT_EQ(!object, !error_.empty()) << round;
    if (object)
      object->symbol(HM_IMAGE_SYMBOL);
  }
  EXPECT_GT(refused, 100);
}

TEST_F(CodeObjectTest, SaysWhyItsBytesCannotBeMade) {
  std::string error;
  EXPECT_FALSE(CodeObject::load(
      1000, [](std::span<uint8_t>, std::string &why) { return why = "no bytes", false; }, error));
  EXPECT_EQ(error, "no bytes");
}

TEST_F(CodeObjectTest, LimitsOfTheProcessEndNoProcess) {
  // Neither concerns it: it makes no file.
  for (const auto resource : {RLIMIT_FSIZE, RLIMIT_NOFILE})
    EXPECT_EQ(metalcore::test::exit_code_of_child([&] {
                const rlimit limit{0, 0};
                setrlimit(resource, &limit);
                return load(whole_) ? 0 : 1;
              }),
              0);
  const std::string huge = with(PT_DYNAMIC, [](Elf64_Phdr &segment) {
    segment = {.p_type = PT_LOAD,
               .p_flags = PF_R,
               .p_offset = 0,
               .p_vaddr = uint64_t{1} << 39,
               .p_paddr = 0,
               .p_filesz = 0,
               .p_memsz = uint64_t{1} << 38,
               .p_align = 1};
  });
  EXPECT_FALSE(load(huge));
}

} // namespace
} // namespace hostmetal::image
