// What the passes make of AIR, and what they refuse.
#include "air.hpp"
#include "compiled.hpp"

#include <gtest/gtest.h>

using namespace hostmetal;

namespace {

std::string error_of(const std::string &bitcode, const std::string &name) {
  Compiled compiled = compile(bitcode, name);
  EXPECT_TRUE(compiled.is_user_error) << compiled.error;
  return compiled.error;
}

TEST(Lowering, KeepsOneKernelOfTheModule) {
  air::Kernel one{"one", {air::device(0, "uint", 4)}, "  store i32 1, ptr %0\n  ret void", ""};
  air::Kernel two{"two",
                  {air::device(0, "uint", 4)},
                  "  call void @air.unheard_of()\n  store i32 2, ptr %0\n  ret void",
                  ""};
  std::string module = air::bitcode({one, two}, "declare void @air.unheard_of()\n");
  Compiled compiled = compile(module, "one");
  EXPECT_EQ(compiled.error, "");
  EXPECT_NE(compiled.ir.find(
                "define hidden void @hm_row_one(ptr noundef %0, i32 noundef %1, i32 noundef %2)"),
            std::string::npos)
      << compiled.ir;
  EXPECT_EQ(compiled.ir.find("two"), std::string::npos);
  EXPECT_EQ(error_of(module, "two"),
            "The kernel \"two\" calls \"air.unheard_of\", which this device does not have.");
  EXPECT_EQ(error_of(module, "three"), "The library has no kernel named \"three\".");
}

TEST(Lowering, RefusesWhatIsNotBitcode) {
  EXPECT_NE(error_of("kernel void f() {}", "f").find("The module is not AIR bitcode: "),
            std::string::npos);
  std::string module = air::bitcode({{"one", {}, "ret void", ""}});
  error_of(module.substr(0, module.size() / 2), "one");
  error_of("", "one");
}

TEST(Lowering, RunsRecursionThroughPointers) {
  air::Kernel kernel{"jumps",
                     {air::device(0, "ulong", 8)},
                     "  store ptr @f, ptr %0\n"
                     "  %counter = getelementptr i64, ptr %0, i64 1\n"
                     "  call void @f(ptr %0, ptr %counter)\n  ret void",
                     ""};
  std::vector<uint64_t> memory = {0, 5, 0};
  run(air::bitcode({kernel}, R"(
define internal void @f(ptr %table, ptr %counter) {
  %n = load i64, ptr %counter
  %ends = icmp eq i64 %n, 0
  br i1 %ends, label %end, label %on
on:
  %less = sub i64 %n, 1
  store i64 %less, ptr %counter
  %g = load ptr, ptr %table
  call void %g(ptr %table, ptr %counter)
  %digits = getelementptr i64, ptr %counter, i64 1
  %before = load i64, ptr %digits
  %tens = mul i64 %before, 10
  %digit = add i64 %tens, %n
  store i64 %digit, ptr %digits
  ret void
end:
  ret void
}
)"),
      "jumps", {bind(memory)}, {1, 1, 1}, {1, 1, 1});
  EXPECT_EQ(memory[2], 12345u);
}

TEST(Lowering, RefusesBuiltinsWithOtherTypes) {
  air::Kernel kernel{"wrong", {}, "  %1 = call double @air.sin.f32(double 1.0)\n  ret void", ""};
  EXPECT_EQ(error_of(air::bitcode({kernel}, "declare double @air.sin.f32(double)\n"), "wrong"),
            "The builtin \"air.sin.f32\" is called with arguments that it does not take.");
}

TEST(Lowering, RefusesTexturesItDoesNotHaveAndUnknownTargets) {
  air::Argument texture{"ptr", "!\"air.texture\", !\"air.location_index\", i32 0, i32 1, "
                               "!\"air.sample\", !\"air.arg_type_name\", "
                               "!\"texture2d_ms<float, read>\", !\"air.arg_name\", !\"image\""};
  EXPECT_EQ(error_of(air::bitcode({{"paints", {texture}, "ret void", ""}}), "paints"),
            "The texture \"image\" of kernel \"paints\" is of the type \"texture2d_ms<float, "
            "read>\", which this device does not have.");
  Compiled compiled = compile(air::bitcode({{"k", {}, "ret void", ""}}), "k", {}, "z80");
  EXPECT_NE(compiled.error.find("The target \"z80\" is not one that this compiler"),
            std::string::npos);
}

TEST(Lowering, RefusesTooMuchPrivateMemory) {
  air::Kernel kernel{"deep",
                     {air::device(0, "uint", 4)},
                     R"(
  %big = alloca [20000 x i32]
  %n = load i32, ptr %0
  %p = getelementptr [20000 x i32], ptr %big, i32 0, i32 %n
  store volatile i32 1, ptr %p
  call void @air.wg.barrier(i32 1, i32 1)
  ret void)",
                     ""};
  std::string error =
      error_of(air::bitcode({kernel}, "declare void @air.wg.barrier(i32, i32)\n"), "deep");
  EXPECT_NE(error.find("bytes of private memory per thread; the limit is 49152."),
            std::string::npos)
      << error;
}

/// A constant that decides a branch, in Apple's form: a constructor copies it to a program-scope
/// constant, and the predicate of an argument comes from it.
std::string with_constants() {
  air::Argument optional = air::device(1, "uint", 4);
  optional.node =
      "!\"air.function_constant\", !{ptr @predicate, !\"bool\", !\"use\"}, " + optional.node;
  air::Kernel kernel{"choose",
                     {air::device(0, "uint", 4), optional, air::builtin("thread_position_in_grid")},
                     R"(
  %p = getelementptr i32, ptr %0, i32 %2
  %use = load i8, ptr @use
  %uses = icmp ne i8 %use, 0
  br i1 %uses, label %yes, label %no
yes:
  %q = getelementptr i32, ptr %1, i32 %2
  %a = load i32, ptr %q
  store i32 %a, ptr %p
  ret void
no:
  %defined = call i1 @air.is_function_constant_defined(ptr @b)
  br i1 %defined, label %given, label %fallback
given:
  %b = load i32, ptr @b
  store i32 %b, ptr %p
  ret void
fallback:
  store i32 99, ptr %p
  ret void)",
                     ""};
  return air::bitcode(
      {kernel},
      "@a.MTL_FC_INIT_1_b = internal externally_initialized constant i8 undef\n"
      "@b = internal externally_initialized constant i32 undef\n"
      "@use = internal global i8 undef\n@predicate = internal global i8 0\n"
      "@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 "
      "65535, ptr @initialise, ptr null }]\n"
      "@llvm.used = appending global [1 x ptr] [ptr @predicate]\n"
      "define internal void @initialise() {\n  %1 = load i8, ptr @a.MTL_FC_INIT_1_b\n"
      "  store i8 %1, ptr @use\n"
      "  %2 = call i8 @air.normalize_function_constant_predicate.i8(i8 %1)\n"
      "  store i8 %2, ptr @predicate\n  ret void\n}\n"
      "declare i8 @air.normalize_function_constant_predicate.i8(i8)\n"
      "declare i1 @air.is_function_constant_defined(ptr)\n"
      "!air.function_constants = !{!100, !101}\n"
      "!100 = !{ptr @a.MTL_FC_INIT_1_b, !\"bool\", !\"a\", i32 1, i1 true}\n"
      "!101 = !{ptr @b, !\"int\", !\"b\", i32 4, i1 false}\n");
}

constexpr uint32_t bool_type = 53, int_type = 29, float_type = 3;
const std::string on("\1", 1), off("\0", 1), seven("\7\0\0\0", 4);

TEST(FunctionConstants, ChooseCodeAndArguments) {
  std::string module = with_constants();
  std::vector<uint32_t> out(5), in{10, 11, 12, 13, 14};

  Compiled with = compile(module, "choose", {{1, bool_type, on}});
  ASSERT_EQ(with.error, "");
  EXPECT_TRUE(with.reflection.arguments[1].is_active);
  run(with, {bind(out), bind(in)}, {5, 1, 1}, {2, 1, 1});
  EXPECT_EQ(out, in);

  Compiled without = compile(module, "choose", {{1, bool_type, off}, {4, int_type, seven}});
  ASSERT_EQ(without.error, "");
  EXPECT_FALSE(without.reflection.arguments[1].is_active);
  run(without, {bind(out), {}}, {5, 1, 1}, {2, 1, 1});
  EXPECT_EQ(out, std::vector<uint32_t>(5, 7));

  Compiled undefined = compile(module, "choose", {{1, bool_type, off}});
  ASSERT_EQ(undefined.error, "");
  run(undefined, {bind(out), {}}, {5, 1, 1}, {2, 1, 1});
  EXPECT_EQ(out, std::vector<uint32_t>(5, 99));
}

TEST(FunctionConstants, MissingOrWrongOnesAreErrors) {
  std::string module = with_constants();
  EXPECT_EQ(error_of(module, "choose"), "The kernel \"choose\" needs a value for function constant "
                                        "\"a\" (index 1).");
  EXPECT_EQ(compile(module, "choose", {{1, float_type, seven}}).error,
            "Function constant \"a\" (index 1) of kernel \"choose\" is of type bool, and its value "
            "is of type float.");
  EXPECT_EQ(compile(module, "choose", {{1, bool_type, off}, {4, int_type, off}}).error,
            "Function constant \"b\" (index 4) of kernel \"choose\" takes 4 bytes, and its value "
            "has 1.");
}

TEST(Lowering, MarksAccessesOfThreadsAsIndependent) {
  air::Kernel kernel{"copy",
                     {air::device(0, "uint", 4), air::device(1, "uint", 4),
                      air::builtin("thread_position_in_grid")},
                     "  %p = getelementptr i32, ptr %0, i32 %2\n  %q = getelementptr i32, ptr %1, "
                     "i32 %2\n  %v = load i32, ptr %q\n  store i32 %v, ptr %p\n  ret void",
                     ""};
  Compiled compiled = compile(air::bitcode({kernel}), "copy");
  ASSERT_EQ(compiled.error, "");
  for (const char *expected :
       {"load i32, ptr %q, align 4, !llvm.access.group", "ptr %p, align 4, !llvm.access.group",
        "!llvm.loop", "llvm.loop.parallel_accesses"})
    EXPECT_NE(compiled.ir.find(expected), std::string::npos) << expected << "\n" << compiled.ir;
}

TEST(Lowering, OrdersSitesByControlFlow) {
  air::Kernel kernel{"order",
                     {air::device(0, "uint", 4), air::builtin("thread_position_in_grid")},
                     R"(
  %early = call i32 @air.simd_sum.u.i32(i32 %1)
  br label %loop
loop:
  %i = phi i32 [0, %2], [%next, %loop]
  %inside = call i32 @air.simd_sum.u.i32(i32 %i)
  %next = add i32 %i, %inside
  %more = icmp ult i32 %next, 100
  br i1 %more, label %loop, label %after
after:
  %late = call i32 @air.simd_sum.u.i32(i32 %early)
  store i32 %late, ptr %0
  ret void)",
                     ""};
  Compiled compiled =
      compile(air::bitcode({kernel}, "declare i32 @air.simd_sum.u.i32(i32)\n"), "order");
  ASSERT_EQ(compiled.error, "");
  // Three places at the top level take two bits: 0, the loop at 1, and 2.
  EXPECT_NE(compiled.ir.find("(ptr %1, i64 0, "), std::string::npos) << compiled.ir;
  EXPECT_NE(compiled.ir.find("(ptr %1, i64 -9223372036854775808, "), std::string::npos)
      << compiled.ir;
  EXPECT_NE(compiled.ir.find("%iteration = phi i64 [ 0, "), std::string::npos) << compiled.ir;
}

TEST(Lowering, SameInputSameBytes) {
  std::string module = with_constants();
  Compiled one = compile(module, "choose", {{1, bool_type, on}});
  Compiled two = compile(module, "choose", {{1, bool_type, on}});
  EXPECT_EQ(one.object, two.object);
  EXPECT_EQ(image::serialise(one.reflection), image::serialise(two.reflection));
}

} // namespace
