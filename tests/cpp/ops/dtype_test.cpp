#include "metalcore/array.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

using namespace metalcore;

namespace {

constexpr auto last = static_cast<uint8_t>(DType::complex64);

uint16_t bits_of(double value, DType dtype) {
  uint16_t bits = 0;
  const std::vector<std::byte> bytes = element_bytes(value, dtype);
  EXPECT_EQ(bytes.size(), sizeof bits);
  std::memcpy(&bits, bytes.data(), sizeof bits);
  return bits;
}

double value_of(uint16_t bits, DType dtype) {
  return std::get<double>(element_value(&bits, dtype));
}

} // namespace

TEST(DType, NamesAreParsedBack) {
  for (uint8_t i = 0; i <= last; ++i) {
    const auto dtype = static_cast<DType>(i);
    EXPECT_EQ(parse_dtype(dtype_name(dtype)), dtype);
  }
  EXPECT_THROW(parse_dtype("float64"), DTypeError);
  EXPECT_THROW(parse_dtype(""), DTypeError);
}

TEST(DType, PromotionHoldsBothTypes) {
  for (uint8_t i = 0; i <= last; ++i) {
    for (uint8_t j = 0; j <= last; ++j) {
      const auto a = static_cast<DType>(i);
      const auto b = static_cast<DType>(j);
      const std::optional<DType> both = promote(a, b);
      EXPECT_EQ(both, promote(b, a));
      if (both) {
        EXPECT_EQ(promote(*both, a), both);
        EXPECT_GE(item_size(*both), std::max(item_size(a), item_size(b)));
      }
    }
  }
  EXPECT_EQ(promote(DType::int8, DType::uint8), DType::int16);
  EXPECT_EQ(promote(DType::uint64, DType::int8), std::nullopt);
  EXPECT_EQ(promote(DType::float16, DType::bfloat16), DType::float32);
}

class Float16Bits : public testing::TestWithParam<DType> {};

TEST_P(Float16Bits, EveryValueSurvivesTheWayThroughDouble) {
  for (uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
    const double value = value_of(static_cast<uint16_t>(bits), GetParam());
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(value_of(bits_of(value, GetParam()), GetParam())));
    } else {
      EXPECT_EQ(bits_of(value, GetParam()), bits) << value;
    }
  }
}

TEST_P(Float16Bits, BetweenNeighboursTheNearerOneWins) {
  const std::random_device::result_type seed = std::random_device{}();
  std::mt19937 random(seed);
  SCOPED_TRACE(seed);
  const uint16_t infinity = bits_of(std::numeric_limits<double>::infinity(), GetParam());
  for (uint16_t bits = 0; bits + 1 < infinity; ++bits) {
    const auto next = static_cast<uint16_t>(bits + 1);
    const double low = value_of(bits, GetParam());
    const double high = value_of(next, GetParam());
    const double middle = (low + high) / 2; // exact
    EXPECT_EQ(bits_of(middle, GetParam()), bits % 2 == 0 ? bits : next);
    EXPECT_EQ(bits_of(std::nextafter(middle, low), GetParam()), bits);
    EXPECT_EQ(bits_of(std::nextafter(middle, high), GetParam()), next);
    const double inside = std::uniform_real_distribution(low, high)(random);
    EXPECT_EQ(bits_of(-inside, GetParam()), 0x8000 | (inside < middle ? bits : next));
  }
}

INSTANTIATE_TEST_SUITE_P(Types, Float16Bits, testing::Values(DType::float16, DType::bfloat16));

TEST(ElementBytes, IntegersMustFit) {
  EXPECT_THROW(element_bytes(int64_t{128}, DType::int8), std::overflow_error);
  EXPECT_THROW(element_bytes(int64_t{-1}, DType::uint64), std::overflow_error);
  EXPECT_THROW(element_bytes(uint64_t{1} << 63, DType::int64), std::overflow_error);
  EXPECT_THROW(element_bytes(1.0, DType::int32), DTypeError);
  EXPECT_THROW(element_bytes(int64_t{1}, DType::bool_), DTypeError);
  EXPECT_THROW(element_bytes(std::complex(1.0), DType::float32), DTypeError);
  const std::vector<std::byte> bytes = element_bytes(int64_t{-2}, DType::int16);
  EXPECT_EQ(std::get<int64_t>(element_value(bytes.data(), DType::int16)), -2);
}
