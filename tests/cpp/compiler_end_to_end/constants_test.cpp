// Function constants from MSL.
#include "msl.hpp"

#include <gtest/gtest.h>

namespace {

const char source[] = R"(
#include <metal_stdlib>
using namespace metal;
constant bool doubles [[function_constant(0)]];
constant int amount [[function_constant(3)]];
constant bool has_amount = is_function_constant_defined(amount);
constant int used = has_amount ? amount : 7;
kernel void change(device int *values [[buffer(0)]],
                   device const int *factors [[buffer(1), function_constant(doubles)]],
                   uint i [[thread_position_in_grid]]) {
  values[i] = doubles ? values[i] * factors[i] : values[i] + used;
})";

constexpr uint32_t bool_type = 53, int_type = 29;
const std::string yes("\1", 1), no("\0", 1), five("\5\0\0\0", 4);

TEST(Constants, SpecialiseAKernel) {
  msl::Library library = msl::compile_library(source);
  ASSERT_EQ(library.status, HM_OK) << library.diagnostics;
  ASSERT_EQ(library.functions.functions.size(), 1u);
  std::vector<int32_t> values{1, 2, 3}, factors{5, 6, 7};

  msl::Kernel with(library.module, "change", {{0, bool_type, yes}});
  EXPECT_TRUE(with.reflection.arguments.at(1).is_active);
  with.run({values.data(), factors.data()}, {3, 1, 1}, {2, 1, 1});
  EXPECT_EQ(values, (std::vector<int32_t>{5, 12, 21}));

  msl::Kernel without(library.module, "change", {{0, bool_type, no}, {3, int_type, five}});
  EXPECT_FALSE(without.reflection.arguments.at(1).is_active);
  without.run({values.data(), nullptr}, {3, 1, 1}, {2, 1, 1});
  EXPECT_EQ(values, (std::vector<int32_t>{10, 17, 26}));

  msl::Kernel undefined(library.module, "change", {{0, bool_type, no}});
  undefined.run({values.data(), nullptr}, {3, 1, 1}, {2, 1, 1});
  EXPECT_EQ(values, (std::vector<int32_t>{17, 24, 33}));
}

TEST(Constants, MissingOnesAreNamed) {
  msl::Library library = msl::compile_library(source);
  msl::Kernel kernel(library.module, "change");
  EXPECT_EQ(kernel.status, HM_COMPILE_ERROR);
  EXPECT_EQ(kernel.diagnostics,
            "The kernel \"change\" needs a value for function constant \"doubles\" (index 0).");
}

} // namespace
