#include "core/function_constants.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

namespace metalcore {
namespace {

using Value = FunctionConstants::mapped_type;

template <typename T> std::optional<T> converted(Value value, DType type) {
  const auto bytes = convert_scalar(value, type);
  if (!bytes)
    return std::nullopt;
  EXPECT_EQ(bytes->size, sizeof(T));
  T result;
  std::memcpy(&result, bytes->data.data(), sizeof result);
  return result;
}

TEST(FunctionConstants, IntegersFitOrNot) {
  EXPECT_EQ(converted<int8_t>(int64_t{-128}, DType::int8), -128);
  EXPECT_EQ(converted<int8_t>(int64_t{128}, DType::int8), std::nullopt);
  EXPECT_EQ(converted<uint8_t>(int64_t{-1}, DType::uint8), std::nullopt);
  EXPECT_EQ(converted<uint32_t>(uint64_t{0xffffffff}, DType::uint32), 0xffffffffu);
  EXPECT_EQ(converted<uint32_t>(uint64_t{0x100000000}, DType::uint32), std::nullopt);
  EXPECT_EQ(converted<int64_t>(uint64_t{1} << 63, DType::int64), std::nullopt);
  EXPECT_EQ(converted<uint64_t>(~uint64_t{0}, DType::uint64), ~uint64_t{0});
  EXPECT_EQ(converted<int32_t>(true, DType::int32), 1);
}

TEST(FunctionConstants, FractionsFitNoInteger) {
  EXPECT_EQ(converted<int32_t>(3.0, DType::int32), 3);
  EXPECT_EQ(converted<int32_t>(3.5, DType::int32), std::nullopt);
  EXPECT_EQ(converted<int32_t>(std::nan(""), DType::int32), std::nullopt);
  EXPECT_EQ(converted<int32_t>(2147483648.0, DType::int32), std::nullopt);
  EXPECT_EQ(converted<int32_t>(-2147483648.0, DType::int32), std::numeric_limits<int32_t>::min());
  EXPECT_EQ(converted<uint64_t>(18446744073709551616.0, DType::uint64), std::nullopt);
  EXPECT_EQ(converted<uint16_t>(-0.0, DType::uint16), 0);
}

TEST(FunctionConstants, BooleansAreZeroOrOne) {
  EXPECT_EQ(converted<uint8_t>(true, DType::bool_), 1);
  EXPECT_EQ(converted<uint8_t>(int64_t{0}, DType::bool_), 0);
  EXPECT_EQ(converted<uint8_t>(1.0, DType::bool_), 1);
  EXPECT_EQ(converted<uint8_t>(int64_t{2}, DType::bool_), std::nullopt);
  EXPECT_EQ(converted<uint8_t>(std::nan(""), DType::bool_), std::nullopt);
}

TEST(FunctionConstants, FloatsRoundLikeTheProcessor) {
  const auto seed = std::random_device{}();
  RecordProperty("seed", std::to_string(seed));
  std::mt19937_64 random(seed);
  const auto check = [](double value) {
    const auto expected = static_cast<float>(value);
    const auto result = converted<float>(value, DType::float32);
    if (std::isinf(expected) && !std::isinf(value))
      EXPECT_EQ(result, std::nullopt) << value;
    else if (std::isnan(value))
      EXPECT_TRUE(result && std::isnan(*result));
    else
      EXPECT_EQ(std::bit_cast<uint32_t>(result.value()), std::bit_cast<uint32_t>(expected))
          << value;
  };
  for (double value : {0.0, -0.0, 1.0, -1.5, 0.1, 1e300, -1e300, 1e-46, 1e-45, 7e-46, 3.4028235e38,
                       3.4028236e38, 1.1754943e-38, static_cast<double>(INFINITY)})
    check(value);
  check(std::nan(""));
  for (int i = 0; i < 100'000; ++i)
    check(std::bit_cast<double>(random()));
  std::uniform_int_distribution<int> exponent(-155, 130);
  for (int i = 0; i < 100'000; ++i)
    check(std::ldexp(static_cast<double>(static_cast<int64_t>(random())), exponent(random) - 63));
}

TEST(FunctionConstants, HalvesRoundToNearestEven) {
  const auto half = [](double value) { return converted<uint16_t>(value, DType::float16); };
  EXPECT_EQ(half(1.0), 0x3c00);
  EXPECT_EQ(half(-2.0), 0xc000);
  EXPECT_EQ(half(65504.0), 0x7bff);
  EXPECT_EQ(half(65519.99), 0x7bff);
  EXPECT_EQ(half(65520.0), std::nullopt);
  EXPECT_EQ(half(0x1p-24), 0x0001);
  EXPECT_EQ(half(0x1p-25), 0x0000); // a tie, to even
  EXPECT_EQ(half(0x1.8p-25), 0x0001);
  EXPECT_EQ(half(1.0 + 0x1p-11), 0x3c00);
  EXPECT_EQ(half(1.0 + 0x3p-11), 0x3c02);
  EXPECT_EQ(half(INFINITY), 0x7c00);
  EXPECT_EQ(half(-INFINITY), 0xfc00);
  EXPECT_EQ(converted<uint16_t>(int64_t{70000}, DType::float16), std::nullopt);
}

TEST(FunctionConstants, BrainFloatsRoundToNearestEven) {
  const auto bfloat = [](double value) { return converted<uint16_t>(value, DType::bfloat16); };
  EXPECT_EQ(bfloat(1.0), 0x3f80);
  EXPECT_EQ(bfloat(1.0 + 0x1p-8), 0x3f80);
  EXPECT_EQ(bfloat(1.0 + 0x3p-8), 0x3f82);
  EXPECT_EQ(bfloat(1e39), std::nullopt);
}

TEST(FunctionConstants, FitNoComplexType) {
  EXPECT_EQ(convert_scalar(int64_t{1}, DType::complex64), std::nullopt);
}

TEST(FunctionConstants, AreText) {
  EXPECT_EQ(scalar_text(true), "true");
  EXPECT_EQ(scalar_text(int64_t{-3}), "-3");
  EXPECT_EQ(scalar_text(2.5), "2.5");
}

} // namespace
} // namespace metalcore
