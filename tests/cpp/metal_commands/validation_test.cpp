#include "hostmetal/api/validation.hpp"

#include <gtest/gtest.h>

using namespace hostmetal;
using namespace hostmetal::api;

namespace {

uint8_t memory[64];

image::Kernel kernel_with(image::Argument argument) {
  image::Kernel kernel;
  kernel.name = "k";
  kernel.arguments = {std::move(argument)};
  return kernel;
}

ComputeBindings bound_at(uint64_t offset, bool is_bytes = false) {
  ComputeBindings bindings;
  bindings.buffers[0] = {
      .address = memory, .length = sizeof memory, .offset = offset, .is_bytes = is_bytes};
  return bindings;
}

image::Argument constant_chars() {
  image::Argument argument;
  argument.name = "c";
  argument.type_name = "char";
  argument.type_size = 1;
  argument.type_alignment = 1;
  argument.is_constant = true;
  return argument;
}

TEST(Validation, TheConstantSpaceWantsOffsetsThatAreMultiplesOfFour) {
  EXPECT_EQ(check_arguments(kernel_with(constant_chars()), bound_at(8)), std::nullopt);
  EXPECT_EQ(
      check_arguments(kernel_with(constant_chars()), bound_at(2)),
      "Buffer \"c\" at index 0 of kernel \"k\" has an offset (2) that is not a multiple of its "
      "alignment (4).");
}

TEST(Validation, TheDeviceSpaceWantsTheAlignmentOfTheType) {
  image::Argument argument = constant_chars();
  argument.is_constant = false;
  EXPECT_EQ(check_arguments(kernel_with(argument), bound_at(3)), std::nullopt);
  argument.type_alignment = 16;
  EXPECT_EQ(
      check_arguments(kernel_with(argument), bound_at(8)),
      "Buffer \"c\" at index 0 of kernel \"k\" has an offset (8) that is not a multiple of its "
      "alignment (16).");
}

TEST(Validation, WhatAKernelDoesNotTouchNeedNotBeBound) {
  image::Argument argument = constant_chars();
  argument.is_active = false;
  EXPECT_EQ(check_arguments(kernel_with(argument), {}), std::nullopt);
}

TEST(Validation, IndicesMustExist) {
  image::Argument argument = constant_chars();
  argument.kind = image::ArgumentKind::texture;
  argument.index = 127;
  EXPECT_EQ(check_arguments(kernel_with(argument), {}),
            "Texture \"c\" at index 127 of kernel \"k\" is not bound.");
  argument.index = 128;
  EXPECT_EQ(check_arguments(kernel_with(argument), {}),
            "Texture \"c\" at index 128 of kernel \"k\" is not a binding that this device has.");
}

TEST(Validation, StaticAndDynamicThreadgroupMemoryShareTheLimit) {
  image::Argument argument = constant_chars();
  argument.kind = image::ArgumentKind::threadgroup_memory;
  image::Kernel kernel = kernel_with(argument);
  ComputeBindings bindings;
  bindings.threadgroup_lengths[0] = 32768;
  EXPECT_EQ(check_arguments(kernel, bindings), std::nullopt);
  kernel.static_threadgroup_memory = 4;
  EXPECT_EQ(
      check_arguments(kernel, bindings),
      "The threadgroup memory (32772 bytes) of kernel \"k\" is larger than the limit (32768).");
}

TEST(Validation, RangesDoNotWrapAround) {
  EXPECT_EQ(check_range("A fill", 0, 10, 10), std::nullopt);
  EXPECT_EQ(check_range("A fill", 10, 0, 10), std::nullopt);
  EXPECT_NE(check_range("A fill", 11, 0, 10), std::nullopt);
  EXPECT_NE(check_range("A fill", 4, UINT64_MAX - 2, 10), std::nullopt);
  EXPECT_NE(check_range("A fill", UINT64_MAX, 2, 10), std::nullopt);
}

TEST(Validation, RangesThatTouchDoNotOverlap) {
  EXPECT_EQ(check_overlap(memory, memory + 8, 8), std::nullopt);
  EXPECT_EQ(check_overlap(memory + 8, memory, 8), std::nullopt);
  EXPECT_EQ(check_overlap(memory, memory, 0), std::nullopt);
  EXPECT_NE(check_overlap(memory, memory, 1), std::nullopt);
  EXPECT_NE(check_overlap(memory + 7, memory, 8), std::nullopt);
}

} // namespace
