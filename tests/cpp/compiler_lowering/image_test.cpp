// Objects in memory and in shared objects.
#include "air.hpp"
#include "compiled.hpp"

#include "hostmetal/compiler/codegen/image_linker.hpp"
#include "hostmetal/compiler/codegen/loaded_code.hpp"
#include "hostmetal/image/image.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <fstream>
#include <numeric>
#include <thread>

using namespace hostmetal;

namespace {

air::Kernel adds(const std::string &name, int amount) {
  return {name,
          {air::device(0, "uint", 4), air::builtin("thread_position_in_grid")},
          "  %p = getelementptr i32, ptr %0, i32 %1\n  %v = load i32, ptr %p\n  %r = add i32 %v, " +
              std::to_string(amount) + "\n  store i32 %r, ptr %p\n  ret void",
          ""};
}
const air::Kernel sine{"sine",
                       {air::device(0, "float", 4), air::builtin("thread_position_in_grid")},
                       "  %p = getelementptr float, ptr %0, i32 %1\n  %v = load float, ptr %p\n  "
                       "%r = call float @air.sin.f32(float %v)\n  store float %r, ptr %p\n  ret "
                       "void",
                       ""};
const air::Kernel synchronised{
    "synchronised",
    {air::device(0, "uint", 4), air::builtin("thread_position_in_grid")},
    "  %p = getelementptr i32, ptr %0, i32 %1\n  %v = call i32 @air.simd_sum.u.i32(i32 %1)\n"
    "  store i32 %v, ptr %p\n  ret void",
    ""};
const char declarations[] = "declare float @air.sin.f32(float)\n"
                            "declare i32 @air.simd_sum.u.i32(i32)\n";

/// Runs a row function for `count` threads of one dimension.
void call_row(HmRowFunction function, std::vector<void *> arguments, uint32_t count) {
  std::vector<uint64_t> sizes(arguments.size());
  HmGrid grid{arguments.data(), sizes.data(), nullptr,       nullptr,
              {count, 1, 1},    {1, 1, 1},    {count, 1, 1}, 0};
  HmGroup group{&grid, nullptr, {0, 0, 0}, {0, 0, 0}, {count, 1, 1}, 0};
  function(&group, 0, 0);
}

struct Part {
  std::string object, reflection;
};
std::vector<Part> compile_all(const std::string &target = "") {
  std::string module =
      air::bitcode({adds("one", 1), adds("two", 2), sine, synchronised}, declarations);
  std::vector<Part> parts;
  for (const char *name : {"two", "one", "sine", "synchronised"}) {
    Compiled compiled = compile(module, name, {}, target);
    EXPECT_EQ(compiled.error, "");
    parts.push_back({compiled.object, image::serialise(compiled.reflection)});
  }
  return parts;
}
std::string link(const std::vector<Part> &parts) {
  std::vector<codegen::ImagePart> views;
  for (const Part &part : parts)
    views.push_back({part.object, part.reflection});
  llvm::Expected<std::string> linked = codegen::link_image(views);
  if (!linked) {
    ADD_FAILURE() << llvm::toString(linked.takeError());
    return {};
  }
  return *linked;
}

TEST(Image, LinksLoadsAndRuns) {
  std::string elf = link(compile_all());
  std::string error;
  std::shared_ptr<const image::Image> image =
      image::Image::open_code({reinterpret_cast<const uint8_t *>(elf.data()), elf.size()}, error);
  ASSERT_TRUE(image) << error;
  EXPECT_EQ(image->kernel_names(),
            (std::vector<std::string>{"one", "sine", "synchronised", "two"}));
  std::vector<uint32_t> values(100);
  for (const char *name : {"one", "two", "two"}) {
    auto loaded = image->find(name);
    ASSERT_TRUE(loaded);
    EXPECT_EQ(loaded->reflection.name, name);
    ASSERT_TRUE(loaded->code.row);
    EXPECT_FALSE(loaded->code.thread);
    call_row(loaded->code.row, {values.data()}, 100);
  }
  EXPECT_EQ(values, std::vector<uint32_t>(100, 5));
  EXPECT_TRUE(image->find("synchronised")->code.thread);
  EXPECT_FALSE(image->find("synchronised")->code.row);
  std::vector<float> angles(33, 0.5f);
  call_row(image->find("sine")->code.row, {angles.data()}, 33);
  for (float angle : angles)
    EXPECT_NEAR(angle, 0.479425538604, 1e-6);
  EXPECT_FALSE(image->find("three"));
}

TEST(Image, SameKernelsSameBytes) {
  for (const char *target : {"", "x86-64-v2"}) {
    std::vector<Part> parts = compile_all(target);
    std::string first = link(parts);
    std::reverse(parts.begin(), parts.end());
    EXPECT_EQ(first, link(parts));
    EXPECT_EQ(first, link(compile_all(target)));
    EXPECT_EQ(first.find("/tmp"), std::string::npos);
  }
}

TEST(Image, RefusesTwoKernelsOfOneName) {
  std::vector<Part> parts = compile_all();
  std::vector<codegen::ImagePart> views{{parts[0].object, parts[0].reflection},
                                        {parts[0].object, parts[0].reflection}};
  llvm::Expected<std::string> linked = codegen::link_image(views);
  ASSERT_FALSE(linked);
  EXPECT_EQ(llvm::toString(linked.takeError()), "Two kernels to be linked are named \"two\".");
}

TEST(LoadedCode, RefusesOtherBytes) {
  for (std::string bytes : {std::string(), std::string("text"), std::string(1000, '\0')}) {
    auto loaded = codegen::LoadedCode::load(bytes);
    EXPECT_FALSE(loaded);
    llvm::consumeError(loaded.takeError());
  }
}

/// Code is either writable or executable, and gone once it is unloaded.
TEST(LoadedCode, IsNeverWritableAndExecutable) {
  std::vector<Part> parts = compile_all();
  auto loaded = llvm::cantFail(codegen::LoadedCode::load(parts[0].object));
  auto address = reinterpret_cast<uintptr_t>(loaded->code().row);
  auto permissions = [&]() -> std::string {
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
      uintptr_t from, to;
      char text[5];
      if (std::sscanf(line.c_str(), "%lx-%lx %4s", &from, &to, text) == 3 && address >= from &&
          address < to)
        return text;
    }
    return "";
  };
  EXPECT_EQ(permissions().substr(0, 3), "r-x");
  loaded.reset();
  EXPECT_NE(permissions().substr(0, 3), "r-x");
}

TEST(LoadedCode, LoadsAndUnloadsFromManyThreads) {
  std::vector<Part> parts = compile_all();
  std::atomic<int> wrong = 0;
  std::vector<std::jthread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 100; ++i) {
        auto loaded = codegen::LoadedCode::load(parts[t % 2].object);
        if (!loaded) {
          llvm::consumeError(loaded.takeError());
          ++wrong;
          continue;
        }
        std::vector<uint32_t> values(17);
        call_row((*loaded)->code().row, {values.data()}, 17);
        wrong += values != std::vector<uint32_t>(17, t % 2 ? 1 : 2);
      }
    });
  threads.clear();
  EXPECT_EQ(wrong, 0);
}

} // namespace
