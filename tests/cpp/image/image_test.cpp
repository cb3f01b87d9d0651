#include "hostmetal/image/image.hpp"

#include "hostmetal/image/bytes.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <unistd.h>

namespace hostmetal::image {
namespace {

std::string read_file(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class ImageTest : public testing::Test {
protected:
  void SetUp() override {
    path_ = std::filesystem::temp_directory_path() /
            ("image_test_" + std::to_string(getpid()) + ".hmimage");
  }
  void TearDown() override { std::filesystem::remove(path_); }

  std::shared_ptr<const Image> open(const std::string &bytes) {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes;
    return Image::open(path_, error_);
  }

  const std::string code_ = read_file(IMAGE_FIXTURE);
  const Library library_ = {{{"scan", Function::Kind::kernel, {}},
                             {"fill", Function::Kind::kernel, {{"n", 0, 33, true}}}}};
  std::filesystem::path path_;
  std::string error_;
};

TEST_F(ImageTest, OpensTheBestSlice) {
  const auto targets = host_targets();
  ASSERT_FALSE(targets.empty());
  const auto image = open(write_container(
      library_, {{"sparc", "no code"}, {targets.back(), code_}, {targets.front(), code_}}));
  ASSERT_TRUE(image) << error_;
  EXPECT_EQ(image->target(), targets.front());
  EXPECT_EQ(image->kernel_names(), (std::vector<std::string>{"fill", "scan"}));
  EXPECT_EQ(image->library(), library_);
}

TEST_F(ImageTest, FindsAndRunsAKernel) {
  const auto image = open(write_container(library_, {{host_targets().back(), code_}}));
  ASSERT_TRUE(image) << error_;
  const auto fill = image->find("fill");
  ASSERT_TRUE(fill);
  EXPECT_EQ(fill->reflection.name, "fill");
  ASSERT_EQ(fill->reflection.arguments.size(), 1u);
  EXPECT_EQ(fill->code.thread, nullptr);

  uint32_t out[4] = {};
  void *const arguments[] = {out};
  const uint64_t sizes[] = {sizeof(out)};
  HmGrid grid{};
  grid.arguments = arguments;
  grid.argument_sizes = sizes;
  HmGroup group{};
  group.grid = &grid;
  group.origin[0] = 1;
  group.size[0] = 2;
  fill->code.row(&group, 0, 0);
  EXPECT_EQ(std::vector<uint32_t>(out, out + 4), (std::vector<uint32_t>{0, 7, 7, 0}));

  const auto scan = image->find("scan");
  ASSERT_TRUE(scan);
  EXPECT_TRUE(scan->reflection.has_simd_operations);
  EXPECT_NE(scan->code.thread, nullptr);
  for (const char *absent : {"", "a", "filk", "fill ", "fillx", "z"})
    EXPECT_FALSE(image->find(absent)) << absent;
}

// The loader knows objects by path, and descriptors' numbers come again.
TEST_F(ImageTest, ImagesOpenedOneAfterAnotherAreDistinct) {
  std::vector<std::shared_ptr<const Image>> images;
  for (int i = 0; i < 40; ++i) {
    images.push_back(Image::open_code(as_bytes(code_), error_));
    ASSERT_TRUE(images.back()) << error_;
    for (int j = 0; j < i; ++j)
      EXPECT_NE(images[i]->find("fill")->code.row, images[j]->find("fill")->code.row);
  }
  EXPECT_EQ(images.back()->library()->functions.size(), 2u);
}

TEST_F(ImageTest, TruncatedFilesAreErrors) {
  const std::string file = write_container(library_, {{host_targets().front(), code_}});
  for (size_t size = 0; size < file.size(); size += size < 600 ? 1 : 997) {
    EXPECT_FALSE(open(file.substr(0, size))) << size;
    EXPECT_EQ(error_.find("Cannot open the kernel image \"" + path_.string() + "\": "), 0u);
    EXPECT_EQ(error_.back(), '.');
  }
}

TEST_F(ImageTest, DamagedFilesAreErrors) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  const std::string file = write_container(library_, {{host_targets().front(), code_}});
  for (int round = 0; round < 400; ++round) {
    const size_t place = random() % file.size();
    std::string changed = file;
    changed[place] = static_cast<char>(changed[place] ^ (1u << random() % 8));
    const auto image = open(changed);
    // Only the padding before a slice belongs to nothing.
    if (image)
      EXPECT_TRUE(place < file.size() - code_.size() && file[place] == '\0') << place;
    else
      EXPECT_FALSE(error_.empty());
  }
}

TEST_F(ImageTest, CodeForOtherTargetsOnlyIsAnError) {
  EXPECT_FALSE(open(write_container(library_, {{"sparc", code_}})));
  EXPECT_NE(error_.find("it holds no code that this CPU runs."), std::string::npos) << error_;
}

TEST_F(ImageTest, PathsThatCannotBeReadAreErrors) {
  EXPECT_FALSE(Image::open("/nonexistent/file", error_));
  EXPECT_EQ(error_,
            "Cannot open the kernel image \"/nonexistent/file\": No such file or directory.");
  EXPECT_FALSE(Image::open("/", error_));
  EXPECT_EQ(error_, "Cannot open the kernel image \"/\": it is not a regular file.");
}

TEST_F(ImageTest, TruncatedBareObjectsAreErrors) {
  for (size_t size = 0; size < code_.size(); size += size < 200 ? 1 : 499) {
    EXPECT_FALSE(Image::open_code(as_bytes(code_).first(size), error_)) << size;
    EXPECT_EQ(
        error_,
        "Cannot load compiled kernels: it holds no whole ELF shared object for this machine.");
  }
}

TEST_F(ImageTest, ObjectsWithoutAKernelTableAreErrors) {
  EXPECT_FALSE(Image::open_code(as_bytes(read_file(IMAGE_WITHOUT_KERNELS)), error_));
  EXPECT_EQ(error_, "Cannot load compiled kernels: its code does not export hostmetal_image.");
}

} // namespace
} // namespace hostmetal::image
