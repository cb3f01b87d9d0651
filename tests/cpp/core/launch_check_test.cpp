#include "core/launch_check.hpp"

#include "metalcore/error.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace metalcore {
namespace {

using Kind = LaunchValue::Kind;

/// kernel void scale(device float *y, constant float4 &a, threadgroup float *scratch)
class LaunchCheck : public testing::Test {
protected:
  LaunchCheck() {
    arguments[0].name = "y";
    arguments[0].access = Access::read_write;
    arguments[0].type_size = arguments[0].type_alignment = 4;
    arguments[1].name = "a";
    arguments[1].type_size = arguments[1].type_alignment = 16;
    arguments[1].is_reference = true;
    arguments[2].name = "scratch";
    arguments[2].kind = ArgumentKind::threadgroup_memory;
    limits = {"scale", arguments, 1024, {1024, 1024, 64}, 256, 32768};
  }

  void check() const { check_launch(limits, values, threads, group); }

  /// What is said of the launch as std::invalid_argument.
  std::string argument_error() const {
    try {
      check();
    } catch (const std::invalid_argument &error) {
      return error.what();
    }
    return "";
  }
  /// What is said of the launch as Error{launch}.
  std::string launch_error() const {
    try {
      check();
    } catch (const Error &error) {
      EXPECT_EQ(error.kind(), ErrorKind::launch);
      return error.what();
    }
    return "";
  }

  std::vector<Argument> arguments{3};
  LaunchLimits limits;
  std::vector<LaunchValue> values = {
      {Kind::buffer, 400, 0}, {Kind::bytes, 16, 0}, {Kind::threadgroup_memory, 100, 0}};
  Size3 threads{100, 1, 1}, group{32, 1, 1};
};

TEST_F(LaunchCheck, AcceptsWhatIsRight) {
  EXPECT_NO_THROW(check());
  values[0].offset = 400; // an empty rest of an array
  values[1] = {Kind::buffer, 32, 16};
  threads = {0, 5, 1};
  EXPECT_NO_THROW(check());
}

TEST_F(LaunchCheck, CountsArguments) {
  values.pop_back();
  EXPECT_EQ(argument_error(), "Kernel \"scale\" takes 3 arguments, but 2 were given.");
}

TEST_F(LaunchCheck, TellsKindsApart) {
  std::swap(values[1], values[2]);
  EXPECT_EQ(argument_error(), "Argument \"a\" (2 of 3) of kernel \"scale\" takes a buffer or a "
                              "value, not threadgroup memory.");
  values[1] = {Kind::bytes, 16, 0};
  EXPECT_EQ(
      argument_error(),
      "Argument \"scratch\" (3 of 3) of kernel \"scale\" takes a length of threadgroup memory.");
}

TEST_F(LaunchCheck, ChecksOffsets) {
  values[0].offset = 401;
  EXPECT_EQ(argument_error(), "Offset (401) for argument \"y\" (1 of 3) of kernel \"scale\" is "
                              "larger than its buffer (400 bytes).");
  values[0].offset = 6;
  EXPECT_EQ(argument_error(), "Offset (6) for argument \"y\" (1 of 3) of kernel \"scale\" is not a "
                              "multiple of its alignment (4 bytes).");
}

TEST_F(LaunchCheck, ChecksTheLengthOfOneValue) {
  values[1] = {Kind::buffer, 24, 16};
  EXPECT_EQ(argument_error(), "Argument \"a\" (2 of 3) of kernel \"scale\" needs 16 bytes, but its "
                              "buffer holds 8 bytes from the offset on.");
  values[1] = {Kind::buffer, 16, 16};
  EXPECT_NE(argument_error(), "");
  values[1] = {Kind::bytes, 12, 0};
  EXPECT_EQ(argument_error(), "Argument \"a\" (2 of 3) of kernel \"scale\" needs 16 bytes, but was "
                              "given a value of 12 bytes.");
  values[1] = {Kind::bytes, 0, 0};
  EXPECT_EQ(argument_error(),
            "Argument \"a\" (2 of 3) of kernel \"scale\" was given a value of 0 bytes.");
}

TEST_F(LaunchCheck, LimitsValues) {
  values[1] = {Kind::bytes, 4096, 0};
  EXPECT_NO_THROW(check());
  values[1] = {Kind::bytes, 4097, 0};
  EXPECT_EQ(argument_error(),
            "Value (4097 bytes) for argument \"a\" (2 of 3) of kernel \"scale\" is "
            "larger than the limit (4096 bytes); pass a buffer.");
}

TEST_F(LaunchCheck, WritesGoToBuffersOnly) {
  values[0] = {Kind::bytes, 4, 0};
  EXPECT_EQ(argument_error(), "Argument \"y\" (1 of 3) of kernel \"scale\" is written to by the "
                              "kernel, so it takes a buffer, not a value.");
}

TEST_F(LaunchCheck, LimitsThreadgroups) {
  group = {2048, 1, 1};
  EXPECT_EQ(launch_error(),
            "Threadgroup size (2048) is larger than the limit (1024) of pipeline \"scale\".");
  group = {64, 64, 1};
  EXPECT_EQ(launch_error(),
            "Threadgroup size (64 x 64 = 4096) is larger than the limit (1024) of pipeline "
            "\"scale\".");
  group = {1, 1, 128};
  EXPECT_EQ(launch_error(), "Threadgroup size (1 x 1 x 128) is larger than the device's limit "
                            "(1024 x 1024 x 64).");
  group = {~std::size_t{0}, 2, 1};
  EXPECT_NE(launch_error(), "");
  group = {32, 0, 1};
  EXPECT_EQ(argument_error(), "Threadgroup size (32 x 0) has an axis of length 0.");
}

TEST_F(LaunchCheck, LimitsThreadgroupMemory) {
  values[2].length = 32768 - 256;
  EXPECT_NO_THROW(check());
  values[2].length = 32768 - 255;
  EXPECT_EQ(launch_error(), "Threadgroup memory (32784 bytes) of kernel \"scale\" is larger than "
                            "the device's limit (32768 bytes).");
  values[2].length = ~std::size_t{0};
  EXPECT_NE(launch_error(), "");
  values[2].length = 0;
  EXPECT_EQ(argument_error(), "Threadgroup memory of 0 bytes was given for argument \"scratch\" (3 "
                              "of 3) of kernel \"scale\".");
}

TEST_F(LaunchCheck, LimitsGrids) {
  threads = {5'000'000'000, 1, 1};
  EXPECT_EQ(launch_error(),
            "Grid (5000000000 threads) of kernel \"scale\" is larger than the limit "
            "(4294967295) of an axis.");
}

TEST(RangeCheck, DoesNotWrapAround) {
  EXPECT_NO_THROW(check_range("The source of a copy", 10, 0, 10));
  try {
    check_range("The source of a copy", 8, ~std::size_t{0}, 10);
    FAIL();
  } catch (const std::invalid_argument &error) {
    EXPECT_STREQ(error.what(), "The source of a copy (18446744073709551615 bytes from offset 8 on) "
                               "reaches beyond its buffer (10 bytes).");
  }
  EXPECT_THROW(check_range("It", 11, 0, 10), std::invalid_argument);
}

} // namespace
} // namespace metalcore
