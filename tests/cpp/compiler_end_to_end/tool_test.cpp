// The offline compiler, run as a program.
#include "hostmetal/image/image.hpp"

#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

using namespace hostmetal;

namespace {

class Tool : public testing::Test {
protected:
  std::string path(const std::string &name) const { return (folder_ / name).string(); }
  void write(const std::string &name, const std::string &text) const {
    std::ofstream(path(name)) << text;
  }
  std::string read(const std::string &name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  int run(const std::string &arguments) const {
    return std::system(
        (std::string(HOSTMETAL_METAL) + " " + arguments + " 2> " + path("errors")).c_str());
  }

  const metalcore::test::TemporaryFolder own_;
  const std::filesystem::path folder_ = own_.path();
};

TEST_F(Tool, MakesAContainerThatRuns) {
  write("amount.h", "#define AMOUNT 3\n");
  write("a.metal", "#include \"amount.h\"\nkernel void add(device uint *a, uint i "
                   "[[thread_position_in_grid]]) { a[i] += AMOUNT * FACTOR; }\n");
  write("b.metal", "#include <metal_stdlib>\nusing namespace metal;\nkernel void root(device float "
                   "*a, uint i [[thread_position_in_grid]]) { a[i] = sqrt(a[i]); }\n");
  std::string arguments = path("a.metal") + " " + path("b.metal") + " -D FACTOR=2 --depfile " +
                          path("depends") + " -o ";
  ASSERT_EQ(run(arguments + path("one.metallib")), 0) << read("errors");
  ASSERT_EQ(run(arguments + path("two.metallib")), 0) << read("errors");
  EXPECT_EQ(read("one.metallib"), read("two.metallib"));
  EXPECT_NE(read("depends").find("amount.h"), std::string::npos);

  std::string error;
  std::shared_ptr<const image::Image> image = image::Image::open(path("one.metallib"), error);
  ASSERT_TRUE(image) << error;
  EXPECT_EQ(image->target(), image::host_targets().front());
  EXPECT_EQ(image->kernel_names(), (std::vector<std::string>{"add", "root"}));
  std::vector<uint32_t> values(10, 1);
  void *arguments_of_kernel[] = {values.data()};
  uint64_t sizes[] = {40};
  HmGrid grid{arguments_of_kernel, sizes, nullptr, nullptr, {10, 1, 1}, {1, 1, 1}, {10, 1, 1}, 0};
  HmGroup group{&grid, nullptr, {0, 0, 0}, {0, 0, 0}, {10, 1, 1}, 0};
  image->find("add")->code.row(&group, 0, 0);
  EXPECT_EQ(values, std::vector<uint32_t>(10, 7));
}

TEST_F(Tool, ReportsErrors) {
  write("bad.metal", "kernel void f() { nonsense(); }\n");
  EXPECT_NE(run(path("bad.metal") + " -o " + path("out")), 0);
  EXPECT_NE(read("errors").find("bad.metal:1:19: error: "), std::string::npos) << read("errors");
  EXPECT_FALSE(std::filesystem::exists(path("out")));
  EXPECT_NE(run(path("absent.metal") + " -o " + path("out")), 0);
  EXPECT_NE(read("errors").find("The file cannot be read."), std::string::npos);
  EXPECT_NE(run("-o " + path("out")), 0);
  EXPECT_NE(read("errors").find("No source is given."), std::string::npos);
  EXPECT_NE(run(path("bad.metal") + " --frobnicate"), 0);
  EXPECT_NE(read("errors").find("The option \"--frobnicate\" is not known."), std::string::npos);
}

} // namespace
