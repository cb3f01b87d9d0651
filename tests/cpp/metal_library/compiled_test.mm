// The library that programs link, with the real compiler beside it.
#include "fixture.hpp"

#include <random>

using namespace metal_library;

namespace {

class CompiledTest : public MetalTest {};

const char *const source = R"(
#include <metal_stdlib>
using namespace metal;

constant int power [[function_constant(0)]];

struct Params {
  float factor;
  uint offset;
};

kernel void scale(device float *out [[buffer(0)]], const device float *in [[buffer(1)]],
                  constant Params &params [[buffer(2)]], uint i [[thread_position_in_grid]]) {
  float value = in[i] * params.factor + ADDEND;
  float result = value;
  for (int n = 1; n < power; ++n)
    result *= value;
  out[i + params.offset] = result;
}
)";

struct Params {
  float factor;
  uint32_t offset;
};

LibraryPointer compile_with_addend() {
  MTLCompileOptions *options = [[[MTLCompileOptions alloc] init] autorelease];
  [options setMathMode:MTLMathModeSafe];
  [options setPreprocessorMacros:@{@"ADDEND" : @"0.5f"}];
  return compile(source, options);
}

FunctionPointer specialise(const LibraryPointer &library, int power) {
  MTLFunctionConstantValues *values = [[[MTLFunctionConstantValues alloc] init] autorelease];
  [values setConstantValue:&power type:MTLDataTypeInt withName:@"power"];
  NSError *error = nil;
  auto function = FunctionPointer::adopt([library.get() newFunctionWithName:@"scale"
                                                             constantValues:values
                                                                      error:&error]);
  EXPECT_TRUE(function) << message(error);
  return function;
}

Retained<id<MTLBuffer>> make_buffer(size_t count) {
  return Retained<id<MTLBuffer>>::adopt(
      [device() newBufferWithLength:count * sizeof(float) options:MTLResourceStorageModeShared]);
}

} // namespace

TEST_F(CompiledTest, SpecialisesAndRunsKernels) {
  const LibraryPointer library = compile_with_addend();
  constexpr size_t count = 1003;
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto in = make_buffer(count), out = make_buffer(count + 1);
  auto *input = static_cast<float *>([in.get() contents]);
  const auto *output = static_cast<const float *>([out.get() contents]);
  for (size_t i = 0; i < count; ++i)
    input[i] = std::uniform_real_distribution<float>(-2, 2)(random);
  const Params params{1.25f, 1};
  const auto queue = Retained<id<MTLCommandQueue>>::adopt([device() newCommandQueue]);

  for (const int power : {1, 3}) {
    NSError *error = nil;
    const auto pipeline = PipelinePointer::adopt([device()
        newComputePipelineStateWithFunction:specialise(library, power).get()
                                      error:&error]);
    ASSERT_TRUE(pipeline) << message(error);
    id<MTLCommandBuffer> commands = [queue.get() commandBuffer];
    id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
    [encoder setComputePipelineState:pipeline.get()];
    [encoder setBuffer:out.get() offset:0 atIndex:0];
    [encoder setBuffer:in.get() offset:0 atIndex:1];
    [encoder setBytes:&params length:sizeof(params) atIndex:2];
    [encoder dispatchThreads:MTLSizeMake(count, 1, 1) threadsPerThreadgroup:MTLSizeMake(100, 1, 1)];
    [encoder endEncoding];
    [commands commit];
    [commands waitUntilCompleted];
    ASSERT_EQ([commands status], MTLCommandBufferStatusCompleted) << message([commands error]);
    for (size_t i = 0; i < count; ++i) {
      const double value = static_cast<double>(input[i]) * 1.25 + 0.5;
      const double expected = power == 1 ? value : value * value * value;
      ASSERT_NEAR(output[i + 1], expected, 1e-4 * (1 + std::abs(expected))) << i;
    }
  }
  EXPECT_EQ(output[0], 0);
}

TEST_F(CompiledTest, ReflectsKernels) {
  const FunctionPointer scale = specialise(compile_with_addend(), 2);
  MTLComputePipelineReflection *reflection = nil;
  NSError *error = nil;
  const auto pipeline = PipelinePointer::adopt([device()
      newComputePipelineStateWithFunction:scale.get()
                                  options:MTLPipelineOptionBindingInfo |
                                          MTLPipelineOptionBufferTypeInfo
                               reflection:&reflection
                                    error:&error]);
  ASSERT_TRUE(pipeline) << message(error);
  ASSERT_EQ([[reflection bindings] count], 3u);
  auto out = static_cast<id<MTLBufferBinding>>([[reflection bindings] objectAtIndex:0]);
  EXPECT_EQ(text([out name]), "out");
  EXPECT_EQ([out bufferDataType], MTLDataTypeFloat);
  EXPECT_NE([out access], MTLBindingAccessReadOnly);
  auto params = static_cast<id<MTLBufferBinding>>([[reflection bindings] objectAtIndex:2]);
  EXPECT_EQ([params access], MTLBindingAccessReadOnly);
  EXPECT_EQ([params bufferDataSize], sizeof(Params));
  EXPECT_EQ([[[params bufferStructType] memberByName:@"offset"] offset], 4u);
  EXPECT_EQ([[[params bufferStructType] memberByName:@"offset"] dataType], MTLDataTypeUInt);
}

TEST_F(CompiledTest, ListsFunctionConstants) {
  const LibraryPointer library = compile_with_addend();
  EXPECT_EQ(texts([library.get() functionNames]), std::vector<std::string>{"scale"});
  NSDictionary *constants = [function(library, "scale").get() functionConstantsDictionary];
  ASSERT_EQ([constants count], 1u);
  MTLFunctionConstant *power = [constants objectForKey:@"power"];
  EXPECT_EQ([power index], 0u);
  EXPECT_EQ([power type], MTLDataTypeInt);
  EXPECT_TRUE([power required]);
}

TEST_F(CompiledTest, ReportsWhereTheSourceIsWrong) {
  NSError *error = nil;
  EXPECT_EQ([device() newLibraryWithSource:@"kernel void k() {\n  undeclared = 1;\n}\n"
                                   options:nil
                                     error:&error],
            nil);
  EXPECT_EQ([error code], MTLLibraryErrorCompileFailure);
  EXPECT_NE(message(error).find("program_source:2:3: error: "), std::string::npos)
      << message(error);
}
