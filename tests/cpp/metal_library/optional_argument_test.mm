// Arguments that exist only where a function constant says so.
#include "compute.hpp"

#include <cmath>
#include <map>

using namespace metal_library;

namespace {

const char *const source = R"(
#include <metal_stdlib>
using namespace metal;

constant bool has_bias [[function_constant(0)]];
constant bool has_scratch [[function_constant(1)]];
constant float given_factor [[function_constant(2)]];
constant float factor = is_function_constant_defined(given_factor) ? given_factor : 1.0f;
constant bool has_no_bias = !has_bias;
constant bool has_both = has_bias && has_scratch;

struct Offset {
  device const float *value;
};

kernel void k(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
              device const float *bias [[buffer(2), function_constant(has_bias)]],
              constant float &common [[buffer(2), function_constant(has_no_bias)]],
              constant Offset &offset [[buffer(3), function_constant(has_both)]],
              threadgroup float *scratch [[threadgroup(0), function_constant(has_scratch)]],
              uint i [[thread_position_in_grid]], uint index [[thread_index_in_threadgroup]],
              uint size [[threads_per_threadgroup]]) {
  float x = in[i] * factor;
  if (has_scratch) {
    scratch[index] = x;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    x = scratch[size - 1 - index];
  }
  if (has_bias)
    x += bias[i];
  else
    x += common;
  if (has_both)
    x += offset.value[0];
  out[i] = x;
}
)";

class OptionalArgumentTest : public MetalTest,
                             public testing::WithParamInterface<std::tuple<bool, bool, bool>> {};

} // namespace

TEST_P(OptionalArgumentTest, IsBoundWhereItExists) {
  const auto [has_bias, has_scratch, has_factor] = GetParam();
  static const LibraryPointer library = compile(source);
  MTLFunctionConstantValues *values = [[[MTLFunctionConstantValues alloc] init] autorelease];
  const float factor = random_floats(1)[0];
  [values setConstantValue:&has_bias type:MTLDataTypeBool atIndex:0];
  [values setConstantValue:&has_scratch type:MTLDataTypeBool withName:@"has_scratch"];
  if (has_factor)
    [values setConstantValue:&factor type:MTLDataTypeFloat atIndex:2];
  NSError *error = nil;
  const auto function = FunctionPointer::adopt([library.get() newFunctionWithName:@"k"
                                                                   constantValues:values
                                                                            error:&error]);
  ASSERT_TRUE(function) << message(error);
  MTLComputePipelineReflection *reflection = nil;
  const auto pipeline = PipelinePointer::adopt([device()
      newComputePipelineStateWithFunction:function.get()
                                  options:MTLPipelineOptionBindingInfo
                               reflection:&reflection
                                    error:&error]);
  ASSERT_TRUE(pipeline) << message(error);
  const std::map<std::string, bool> used = {{"out", true},
                                            {"in", true},
                                            {"bias", has_bias},
                                            {"common", !has_bias},
                                            {"offset", has_bias && has_scratch},
                                            {"scratch", has_scratch}};
  ASSERT_EQ([[reflection bindings] count], used.size());
  for (id<MTLBinding> binding in [reflection bindings])
    EXPECT_EQ([binding isUsed], used.at(text([binding name]))) << text([binding name]);

  const size_t group = 50, count = 3 * group;
  const std::vector<float> in = random_floats(count), bias = random_floats(count);
  const float common = random_floats(1)[0], offset = random_floats(1)[0];
  const BufferPointer out = make_buffer(std::vector<float>(count)), in_buffer = make_buffer(in),
                      bias_buffer = make_buffer(bias), offset_buffer = make_buffer(&offset, 4);
  const uint64_t address = [offset_buffer.get() gpuAddress];
  EXPECT_EQ(run(pipeline, count, group,
                [&](id<MTLComputeCommandEncoder> encoder) {
                  [encoder setBuffer:out.get() offset:0 atIndex:0];
                  [encoder setBuffer:in_buffer.get() offset:0 atIndex:1];
                  if (has_bias)
                    [encoder setBuffer:bias_buffer.get() offset:0 atIndex:2];
                  else
                    [encoder setBytes:&common length:sizeof(common) atIndex:2];
                  if (has_scratch)
                    [encoder setThreadgroupMemoryLength:208 atIndex:0];
                  if (has_bias && has_scratch)
                    [encoder setBytes:&address length:sizeof(address) atIndex:3];
                }),
            "");
  for (size_t i = 0; i < count; ++i) {
    const size_t from = has_scratch ? i / group * group + group - 1 - i % group : i;
    const double expected = static_cast<double>(in[from]) * (has_factor ? factor : 1) +
                            (has_bias ? bias[i] : common) + (has_bias && has_scratch ? offset : 0);
    ASSERT_NEAR(contents<float>(out)[i], expected, 1e-4 * (1 + std::abs(expected))) << i;
  }
  const std::string unbound =
      run(pipeline, count, group, [&](id<MTLComputeCommandEncoder> encoder) {
        [encoder setBuffer:out.get() offset:0 atIndex:0];
        [encoder setBuffer:in_buffer.get() offset:0 atIndex:1];
        if (has_scratch)
          [encoder setThreadgroupMemoryLength:208 atIndex:0];
      });
  EXPECT_NE(unbound.find(has_bias ? "\"bias\" at index 2" : "\"common\" at index 2"),
            std::string::npos)
      << unbound;
}

INSTANTIATE_TEST_SUITE_P(Constants, OptionalArgumentTest,
                         testing::Combine(testing::Bool(), testing::Bool(), testing::Bool()));
