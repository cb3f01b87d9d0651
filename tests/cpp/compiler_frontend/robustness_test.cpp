// Determinism, threads, and sources that are hard on a compiler.
#include "compiled.hpp"

#include <chrono>
#include <thread>

namespace hostmetal::frontend::test {
namespace {

constexpr char small_kernel[] = R"(using namespace metal;
kernel void k(device float *o [[buffer(0)]], constant float &v [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  o[i] = sin(v) + float(i);
}
)";

TEST(Robustness, TheSameSourceGivesTheSameBytes) {
  const SourceResult first = compile(small_kernel), second = compile(small_kernel);
  ASSERT_TRUE(first.ok) << first.diagnostics;
  EXPECT_EQ(first.bitcode, second.bitcode);
}

TEST(Robustness, ManyThreadsCompileAtOnce) {
  const SourceResult expected = compile(small_kernel);
  ASSERT_TRUE(expected.ok);
  std::vector<std::thread> threads;
  std::vector<int> right(16, 0);
  for (int &slot : right)
    threads.emplace_back([&slot, &expected] {
      for (int i = 0; i < 3; ++i)
        slot += compile(small_kernel).bitcode == expected.bitcode;
    });
  for (std::thread &thread : threads)
    thread.join();
  for (int slot : right)
    EXPECT_EQ(slot, 3);
}

TEST(Robustness, DeepSourcesAreRefusedOrCompiled) {
  std::string parentheses = "kernel void k(device int *a) { a[0] = ";
  parentheses += std::string(100'000, '(') + "1" + std::string(100'000, ')') + "; }\n";
  const SourceResult nested = compile(parentheses);
  EXPECT_FALSE(nested.ok);
  EXPECT_TRUE(contains(nested.diagnostics, "bracket nesting level exceeded maximum of 1024"));

  std::string chain = "kernel void k(device int *a) { a[0] = 0";
  for (int i = 0; i < 20'000; ++i)
    chain += " + a[1]";
  const SourceResult summed = compile(chain + "; }\n");
  EXPECT_TRUE(summed.ok) << summed.diagnostics.substr(0, 500);
}

TEST(Robustness, GarbageIsRefused) {
  for (const std::string &garbage :
       {std::string("\0\1\2\xff\xfe{{{{", 9), std::string(10'000, '{'), std::string("[[[[[["),
        std::string("kernel kernel kernel"), std::string("template template <"),
        std::string("threadgroup"), std::string("device constant thread"),
        std::string("1.0h 2.0bf"), std::string("kernel void k(device float *a [[buffer("),
        std::string("template [[host_name(\"x")}) {
    const SourceResult result = compile(garbage);
    EXPECT_FALSE(result.ok) << garbage.substr(0, 40);
    EXPECT_FALSE(result.is_internal_error) << garbage.substr(0, 40);
  }
  EXPECT_TRUE(compile("").ok);
  EXPECT_TRUE(compile_source({}).ok);
}

TEST(Robustness, NamesThatNobodyDeclaredNestAsTemplates) {
  // In clang the time doubles with each of them.
  std::string chain = "kernel void k(device int *a) { a[0] = ";
  for (int i = 0; i < 60; ++i)
    chain += "b < ";
  const SourceResult result = compile(chain + "1; }\n");
  EXPECT_FALSE(result.ok);
  EXPECT_TRUE(contains(result.diagnostics, "use of undeclared identifier 'b'"));
}

TEST(Robustness, NoCodeIsMadeOfAttributes) {
  const std::string ir = ir_of(R"(
[[host_name("declared")]] int declared(int x [[buffer(2)]]);
int declared(int x) { return x; }
struct Local { int value(int x [[buffer(4)]]) const { return x; } };
template <int N> int instance(int x [[buffer(N)]]) { return x; }
int by_default(int y = [](int x [[buffer(1)]]) { return x; }(3)) { return y; }
constant int global = [](int x [[buffer(1)]]) { return x; }(3);
kernel void k(device int *a [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  auto lambda = [](int x [[buffer(1)]], int y [[thread_position_in_grid]]) { return x + y; };
  auto generic = [](auto x [[buffer(3)]]) { return x; };
  a[i] = declared(1) + Local().value(2) + instance<5>(3) + by_default() + global + lambda(4, 5) +
         generic(6);
})");
  EXPECT_TRUE(lacks(ir, "annotation"));
}

TEST(Robustness, AMacroCannotAddLines) {
  SourceRequest request;
  request.macros = {{"A", "1\n#error injected"}};
  EXPECT_TRUE(compile("kernel void k(device int *a) { a[0] = 1; }\n", request).ok);
}

} // namespace
} // namespace hostmetal::frontend::test
