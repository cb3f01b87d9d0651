// What callers of the C ABI see when something is wrong.
#include "msl.hpp"

#include <gtest/gtest.h>

#include <random>

namespace {

TEST(Errors, SyntaxErrorsHaveTheUsersLines) {
  msl::Library library =
      msl::compile_library("#include <metal_stdlib>\nkernel void f() {\n  int x = ;\n}\n");
  EXPECT_EQ(library.status, HM_COMPILE_ERROR);
  EXPECT_NE(library.diagnostics.find("program_source:3:11: error: "), std::string::npos)
      << library.diagnostics;
  EXPECT_EQ(library.module, "");
}

TEST(Errors, TheWarmUpHasNone) {
  HmBytes diagnostics{};
  EXPECT_EQ(hostmetal_compiler()->warm_up(&diagnostics), HM_OK);
  EXPECT_EQ(std::string(reinterpret_cast<char *>(diagnostics.data), diagnostics.size), "");
  hostmetal_compiler()->free_bytes(diagnostics);
}

TEST(Errors, UnknownKernelsAndTargets) {
  msl::Library library = msl::compile_library("kernel void f(device int *a) { *a = 1; }");
  ASSERT_EQ(library.status, HM_OK) << library.diagnostics;
  msl::Kernel unknown(library.module, "g");
  EXPECT_EQ(unknown.status, HM_COMPILE_ERROR);
  EXPECT_EQ(unknown.diagnostics, "The library has no kernel named \"g\".");
  msl::Kernel other(library.module, "f", {}, "x86-64-v9");
  EXPECT_EQ(other.status, HM_COMPILE_ERROR);
}

TEST(Errors, BrokenBytesAreRefused) {
  msl::Kernel kernel("BC\xC0\xDE and so on", "f");
  EXPECT_EQ(kernel.status, HM_COMPILE_ERROR);
  HmLoaded *loaded;
  HmKernelCode code;
  HmBytes diagnostics;
  EXPECT_EQ(hostmetal_compiler()->load({"junk", 4}, {nullptr, 0}, &loaded, &code, &diagnostics),
            HM_INTERNAL_ERROR);
  EXPECT_EQ(loaded, nullptr);
  EXPECT_GT(diagnostics.size, 0u);
  hostmetal_compiler()->free_bytes(diagnostics);
}

/// Whatever is wrong with a module, the call returns.
TEST(Errors, DamagedModulesDoNotEndTheProcess) {
  msl::Library library = msl::compile_library("kernel void f(device int *a) { *a += 1; }");
  ASSERT_EQ(library.status, HM_OK) << library.diagnostics;
  std::mt19937 random(1);
  for (int i = 0; i < 100; ++i) {
    std::string module = library.module;
    for (int bit = 0; bit < 3; ++bit)
      module[random() % module.size()] ^= static_cast<char>(1 << random() % 8);
    if (i % 10 == 0)
      module.resize(random() % module.size());
    msl::Kernel kernel(module, "f");
    EXPECT_TRUE(kernel.status == HM_OK || !kernel.diagnostics.empty());
  }
}

TEST(Errors, VersionsAreThere) {
  EXPECT_EQ(hostmetal_compiler()->abi_version, HM_COMPILER_ABI_VERSION);
  EXPECT_EQ(hostmetal_compiler()->kernel_abi_version, HM_ABI_VERSION);
  std::string version = hostmetal_compiler()->version;
  EXPECT_NE(version.find("LLVM 19"), std::string::npos);
  EXPECT_EQ(version.find("hostmetal-compiler "), 0u);
  EXPECT_GE(version.find(','), std::string("hostmetal-compiler ").size() + 40);
}

} // namespace
