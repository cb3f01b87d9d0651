// Elementwise kernels become vector code.
#include "air.hpp"
#include "compiled.hpp"
#include "disassembly.hpp"

#include "hostmetal/compiler/codegen/host_symbols.hpp"

#include <gtest/gtest.h>

using namespace hostmetal;

namespace {

std::string elementwise(const std::string &operation, const std::string &globals = "") {
  return air::bitcode({{"kernel",
                        {air::device(0, "float", 4), air::device(1, "float", 4, false),
                         air::builtin("thread_position_in_grid")},
                        "  %index = zext i32 %2 to i64\n"
                        "  %p = getelementptr float, ptr %1, i64 %index\n"
                        "  %q = getelementptr float, ptr %0, i64 %index\n"
                        "  %x = load float, ptr %p\n  %y = load float, ptr %q\n" +
                            operation + "  store float %r, ptr %q\n  ret void",
                        ""}},
                      globals);
}

TEST(Vectorisation, MultiplyAddIsPacked) {
  if (!codegen::host_symbol("_ZGVbN4v_sinf"))
    GTEST_SKIP() << "the instructions named here are x86's";
  std::string module =
      elementwise("  %m = fmul contract float %x, %x\n  %r = fadd contract float %m, %y\n");
  Compiled compiled = compile(module, "kernel", {}, "x86-64-v3");
  ASSERT_EQ(compiled.error, "");
  std::string code = disassemble(compiled.object);
  EXPECT_TRUE(code.find("vfmadd231ps") != std::string::npos ||
              code.find("vfmadd213ps") != std::string::npos)
      << code;
  EXPECT_NE(code.find("ymm"), std::string::npos) << code;
  std::string old = disassemble(compile(module, "kernel", {}, "x86-64-v2").object);
  EXPECT_NE(old.find("mulps"), std::string::npos) << old;
  EXPECT_EQ(old.find("ymm"), std::string::npos) << old;
}

/// A signed index and a branch do not stop it.
TEST(Vectorisation, SurvivesBranchesAndSignedIndices) {
  if (!codegen::host_symbol("_ZGVbN4v_sinf"))
    GTEST_SKIP() << "the instructions named here are x86's";
  std::string module = air::bitcode({{"kernel",
                                      {air::device(0, "float", 4), air::constant(1, "int", 4),
                                       air::builtin("thread_position_in_grid")},
                                      R"(
  %limit = load i32, ptr %1
  %inside = icmp slt i32 %2, %limit
  br i1 %inside, label %work, label %leave
work:
  %index = sext i32 %2 to i64
  %p = getelementptr float, ptr %0, i64 %index
  %x = load float, ptr %p
  %y = fmul float %x, %x
  store float %y, ptr %p
  ret void
leave:
  ret void)",
                                      ""}});
  Compiled compiled = compile(module, "kernel", {}, "x86-64-v3");
  ASSERT_EQ(compiled.error, "");
  std::string code = disassemble(compiled.object);
  EXPECT_NE(code.find("vmulps"), std::string::npos) << code;
}

TEST(Vectorisation, MathCallsVectorFunctions) {
  if (!codegen::host_symbol("_ZGVbN4v_sinf"))
    GTEST_SKIP() << "this C library has no vector math";
  std::string module = elementwise("  %r = call float @air.fast_sin.f32(float %x)\n",
                                   "declare float @air.fast_sin.f32(float)\n");
  for (auto [target, function] :
       {std::pair{"x86-64-v2", "_ZGVbN4v_sinf"}, {"x86-64-v3", "_ZGVdN8v_sinf"}}) {
    Compiled compiled = compile(module, "kernel", {}, target);
    ASSERT_EQ(compiled.error, "");
    EXPECT_NE(compiled.object.find(function), std::string::npos) << target;
  }
}

} // namespace
