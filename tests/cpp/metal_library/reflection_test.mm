#include "fixture.hpp"

using namespace metal_library;

namespace {

class ReflectionTest : public MetalTest {
protected:
  MTLComputePipelineReflection *reflect(MTLPipelineOption options) {
    const FunctionPointer typed = function(compile("kernel typed\n"), "typed");
    MTLComputePipelineReflection *reflection = nil;
    NSError *error = nil;
    const auto pipeline =
        PipelinePointer::adopt([device() newComputePipelineStateWithFunction:typed.get()
                                                                     options:options
                                                                  reflection:&reflection
                                                                       error:&error]);
    EXPECT_TRUE(pipeline) << message(error);
    return reflection;
  }
  NSArray<id<MTLBinding>> *bindings() {
    return [reflect(MTLPipelineOptionBindingInfo | MTLPipelineOptionBufferTypeInfo) bindings];
  }
};

} // namespace

TEST_F(ReflectionTest, IsMadeWhenAskedFor) {
  EXPECT_EQ(reflect(MTLPipelineOptionNone), nil);
  MTLComputePipelineReflection *reflection = reflect(MTLPipelineOptionBindingInfo);
  ASSERT_EQ([[reflection bindings] count], 3u);
  auto params = static_cast<id<MTLBufferBinding>>([[reflection bindings] objectAtIndex:2]);
  EXPECT_EQ([params bufferDataType], MTLDataTypeStruct);
  EXPECT_EQ([params bufferStructType], nil);
  EXPECT_EQ([params bufferPointerType], nil);
}

TEST_F(ReflectionTest, DescribesBuffers) {
  auto out = static_cast<id<MTLBufferBinding>>([bindings() objectAtIndex:0]);
  ASSERT_TRUE(conforms(out, @"MTLBufferBinding"));
  EXPECT_EQ(text([out name]), "out");
  EXPECT_EQ([out type], MTLBindingTypeBuffer);
  EXPECT_EQ([out access], MTLBindingAccessWriteOnly);
  EXPECT_EQ([out index], 0u);
  EXPECT_TRUE([out isUsed]);
  EXPECT_TRUE([out isArgument]);
  EXPECT_EQ([out bufferAlignment], 16u);
  EXPECT_EQ([out bufferDataSize], 16u);
  EXPECT_EQ([out bufferDataType], MTLDataTypeFloat4);
  EXPECT_EQ([out bufferStructType], nil);
  MTLPointerType *pointer = [out bufferPointerType];
  EXPECT_EQ([pointer dataType], MTLDataTypePointer);
  EXPECT_EQ([pointer elementType], MTLDataTypeFloat4);
  EXPECT_EQ([pointer access], MTLBindingAccessWriteOnly);
  EXPECT_EQ([pointer dataSize], 16u);
  EXPECT_EQ([pointer alignment], 16u);
  EXPECT_FALSE([pointer elementIsArgumentBuffer]);
  EXPECT_EQ([pointer elementStructType], nil);
  EXPECT_EQ([pointer elementArrayType], nil);
}

TEST_F(ReflectionTest, DescribesThreadgroupMemory) {
  auto scratch = static_cast<id<MTLThreadgroupBinding>>([bindings() objectAtIndex:1]);
  ASSERT_TRUE(conforms(scratch, @"MTLThreadgroupBinding"));
  EXPECT_FALSE(conforms(scratch, @"MTLBufferBinding"));
  EXPECT_EQ([scratch type], MTLBindingTypeThreadgroupMemory);
  EXPECT_EQ([scratch access], MTLBindingAccessReadWrite);
  EXPECT_EQ([scratch index], 1u);
  EXPECT_FALSE([scratch isUsed]);
  EXPECT_EQ([scratch threadgroupMemoryAlignment], 4u);
  EXPECT_EQ([scratch threadgroupMemoryDataSize], 4u);
}

TEST_F(ReflectionTest, DescribesStructs) {
  auto params = static_cast<id<MTLBufferBinding>>([bindings() objectAtIndex:2]);
  EXPECT_EQ([params access], MTLBindingAccessReadOnly);
  EXPECT_EQ([params bufferDataSize], 24u);
  MTLStructType *type = [params bufferStructType];
  EXPECT_EQ([type dataType], MTLDataTypeStruct);
  ASSERT_EQ([[type members] count], 3u);

  MTLStructMember *count = [type memberByName:@"count"];
  EXPECT_EQ([count offset], 0u);
  EXPECT_EQ([count dataType], MTLDataTypeInt);
  EXPECT_EQ([count argumentIndex], 0u);
  EXPECT_EQ([count structType], nil);
  EXPECT_EQ([count arrayType], nil);
  EXPECT_EQ([count pointerType], nil);

  MTLStructMember *weights = [type memberByName:@"weights"];
  EXPECT_EQ([weights offset], 4u);
  EXPECT_EQ([weights dataType], MTLDataTypeArray);
  EXPECT_EQ([[weights arrayType] elementType], MTLDataTypeFloat);
  EXPECT_EQ([[weights arrayType] arrayLength], 3u);
  EXPECT_EQ([[weights arrayType] stride], 4u);
  EXPECT_EQ([[weights arrayType] elementStructType], nil);

  MTLStructMember *rng = [type memberByName:@"rng"];
  EXPECT_EQ([rng dataType], MTLDataTypeStruct);
  MTLStructMember *seed = [[rng structType] memberByName:@"seed"];
  EXPECT_EQ([seed dataType], MTLDataTypeULong);
  EXPECT_EQ([type memberByName:@"absent"], nil);
}
