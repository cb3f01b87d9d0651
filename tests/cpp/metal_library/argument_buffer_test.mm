// Structs with pointers in buffers, written by hand and by encoders, and read by compiled kernels.
#include "compute.hpp"

#include <array>
#include <cmath>
#include <cstring>

using namespace metal_library;

namespace {

const char *const source = R"(
#include <metal_stdlib>
using namespace metal;

struct Inner {
  device const float *p;
  constant int *q;
};
struct Args {
  device float *out [[id(0)]];
  const device float *in [[id(1)]];
  constant uint *order;
  array<device const float *, 4> bank [[id(5)]];
  device const float *raw[2] [[id(10)]];
  Inner inner [[id(20)]];
  Inner inners[2] [[id(30)]];
  float scale [[id(40)]];
  uint n;
};

float value_of(device const Args &args, uint i) {
  return args.in[args.order[i]] * args.scale + args.bank[i % 4][i] + args.raw[1][i] +
         args.inner.p[i] + float(args.inners[1].q[i]);
}
kernel void by_reference(constant Args &args [[buffer(0)]],
                         uint i [[thread_position_in_grid]]) {
  if (i < args.n)
    args.out[i] = args.in[args.order[i]] * args.scale + args.bank[i % 4][i] + args.raw[1][i] +
                  args.inner.p[i] + float(args.inners[1].q[i]);
}
kernel void by_pointer(device Args *args [[buffer(3)]], constant uint &which [[buffer(4)]],
                       uint i [[thread_position_in_grid]]) {
  if (i < args[which].n)
    args[which].out[i] = value_of(args[which], i);
}
kernel void by_copy(constant Args *args [[buffer(3)]], constant uint &which [[buffer(4)]],
                    uint i [[thread_position_in_grid]]) {
  const Args copy = args[which];
  device float *out = copy.out;
  if (i < copy.n)
    out[i] = copy.in[copy.order[i]] * copy.scale + copy.bank[i % 4][i] + copy.raw[1][i] +
             copy.inner.p[i] + float(copy.inners[1].q[i]);
}
kernel void plain(constant Inner *inner [[buffer(0)]], device float *values [[buffer(1)]],
                  constant float &number [[buffer(2)]]) {
  values[0] = inner->p[0] + number;
}

struct Node {
  float value;
  device const Node *next;
};
kernel void chase(device const Node *first [[buffer(0)]], device float *sum [[buffer(1)]]) {
  float total = 0;
  for (device const Node *node = first; node; node = node->next)
    total += node->value;
  *sum = total;
}

struct Level {
  device const float *values;
  uint count;
};
struct Levels {
  constant Level *first [[id(3)]];
  device float *out [[id(1)]];
  array<constant Level *, 2> more [[id(7)]];
};
kernel void nested(constant Levels &levels [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  float total = 0;
  for (uint n = i; n < levels.first->count; ++n)
    total += levels.first->values[n];
  levels.out[i] = total + levels.more[1]->values[i];
}

// One sum a threadgroup, through barriers and simdgroups.
struct Sums {
  device const float *in;
  device float *out;
};
kernel void group_sum(constant Sums &sums [[buffer(0)]], uint i [[thread_position_in_grid]],
                      uint group [[threadgroup_position_in_grid]],
                      uint lane [[thread_index_in_simdgroup]],
                      uint simdgroup [[simdgroup_index_in_threadgroup]],
                      uint simdgroups [[simdgroups_per_threadgroup]],
                      uint index [[thread_index_in_threadgroup]]) {
  threadgroup float partial[32];
  const float sum = simd_sum(sums.in[i]);
  if (lane == 0)
    partial[simdgroup] = sum;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (index == 0) {
    float total = 0;
    for (uint n = 0; n < simdgroups; ++n)
      total += partial[n];
    sums.out[group] = total;
  }
}
)";

struct Inner {
  uint64_t p, q;
};
struct Args {
  uint64_t out, in, order, bank[4], raw[2];
  Inner inner, inners[2];
  float scale;
  uint32_t n;
};

/// What `Args` points to, filled at random.
struct Data {
  uint32_t n = std::uniform_int_distribution<uint32_t>(1, 3000)(random_source());
  float scale = random_floats(1)[0];
  std::vector<float> in = random_floats(n), raw = random_floats(n), p = random_floats(n);
  std::array<std::vector<float>, 4> bank;
  std::vector<int> q;
  std::vector<uint32_t> order;
  BufferPointer out_buffer, in_buffer, raw_buffer, p_buffer, q_buffer, order_buffer;
  std::array<BufferPointer, 4> bank_buffers;

  Data() {
    std::uniform_int_distribution<uint32_t> index(0, n - 1);
    std::uniform_int_distribution<int> integer(-100, 100);
    for (uint32_t i = 0; i < n; ++i) {
      q.push_back(integer(random_source()));
      order.push_back(index(random_source()));
    }
    for (size_t i = 0; i < 4; ++i) {
      bank[i] = random_floats(n);
      bank_buffers[i] = make_buffer(bank[i]);
    }
    out_buffer = make_buffer(std::vector<float>(n));
    in_buffer = make_buffer(in);
    raw_buffer = make_buffer(raw);
    p_buffer = make_buffer(p);
    q_buffer = make_buffer(q);
    order_buffer = make_buffer(order);
  }

  Args args() const {
    Args args{};
    args.out = [out_buffer.get() gpuAddress];
    args.in = [in_buffer.get() gpuAddress];
    args.order = [order_buffer.get() gpuAddress];
    for (size_t i = 0; i < 4; ++i)
      args.bank[i] = [bank_buffers[i].get() gpuAddress];
    args.raw[1] = [raw_buffer.get() gpuAddress];
    args.inner.p = [p_buffer.get() gpuAddress];
    args.inners[1].q = [q_buffer.get() gpuAddress];
    args.scale = scale;
    args.n = n;
    return args;
  }

  void use(id<MTLComputeCommandEncoder> encoder) const {
    [encoder useResource:out_buffer.get() usage:MTLResourceUsageWrite];
    id<MTLResource> read[] = {in_buffer.get(), raw_buffer.get(), p_buffer.get(), q_buffer.get(),
                              order_buffer.get()};
    [encoder useResources:read count:std::size(read) usage:MTLResourceUsageRead];
    for (const BufferPointer &buffer : bank_buffers)
      [encoder useResource:buffer.get() usage:MTLResourceUsageRead];
  }

  void check() const {
    const float *out = contents<float>(out_buffer);
    for (uint32_t i = 0; i < n; ++i) {
      const double expected =
          static_cast<double>(in[order[i]]) * scale + bank[i % 4][i] + raw[i] + p[i] + q[i];
      ASSERT_NEAR(out[i], expected, 1e-4 * (1 + std::abs(expected))) << i << " of " << n;
    }
  }
};

class ArgumentBufferTest : public MetalTest {
protected:
  static const LibraryPointer &library() {
    static const LibraryPointer library = compile(source);
    return library;
  }
  static Retained<id<MTLArgumentEncoder>> encoder_for(const char *kernel, NSUInteger index) {
    return Retained<id<MTLArgumentEncoder>>::adopt(
        [function(library(), kernel).get() newArgumentEncoderWithBufferIndex:index]);
  }
};

/// Writes the same as Data::args.
void encode(id<MTLArgumentEncoder> encoder, const Data &data) {
  [encoder setBuffer:data.out_buffer.get() offset:0 atIndex:0];
  [encoder setBuffer:data.in_buffer.get() offset:0 atIndex:1];
  [encoder setBuffer:data.order_buffer.get() offset:0 atIndex:2];
  id<MTLBuffer> bank[4];
  const NSUInteger offsets[4] = {};
  for (size_t i = 0; i < 4; ++i)
    bank[i] = data.bank_buffers[i].get();
  [encoder setBuffers:bank offsets:offsets withRange:NSMakeRange(5, 4)];
  [encoder setBuffer:data.raw_buffer.get() offset:0 atIndex:11];
  [encoder setBuffer:data.p_buffer.get() offset:0 atIndex:20];
  [encoder setBuffer:data.q_buffer.get() offset:0 atIndex:33];
  std::memcpy([encoder constantDataAtIndex:40], &data.scale, sizeof(float));
  std::memcpy([encoder constantDataAtIndex:41], &data.n, sizeof(uint32_t));
}

} // namespace

TEST_F(ArgumentBufferTest, HoldsAddresses) {
  const PipelinePointer by_reference = make_pipeline(library(), "by_reference");
  const Data data;
  const Args args = data.args();
  EXPECT_EQ(run(by_reference, data.n + 7, 100,
                [&](id<MTLComputeCommandEncoder> encoder) {
                  [encoder setBytes:&args length:sizeof(args) atIndex:0];
                  data.use(encoder);
                }),
            "");
  data.check();
}

TEST_F(ArgumentBufferTest, LiesInAnArray) {
  for (const char *kernel : {"by_pointer", "by_copy"}) {
    SCOPED_TRACE(kernel);
    const PipelinePointer pipeline = make_pipeline(library(), kernel);
    const std::array<Data, 3> data;
    std::vector<Args> args;
    for (const Data &each : data)
      args.push_back(each.args());
    const BufferPointer buffer = make_buffer(args);
    for (uint32_t which = 0; which < data.size(); ++which)
      EXPECT_EQ(run(pipeline, data[which].n, 64,
                    [&](id<MTLComputeCommandEncoder> encoder) {
                      [encoder setBuffer:buffer.get() offset:0 atIndex:3];
                      [encoder setBytes:&which length:sizeof(which) atIndex:4];
                      data[which].use(encoder);
                    }),
                "");
    for (const Data &each : data)
      each.check();
  }
}

TEST_F(ArgumentBufferTest, IsEncodedByIndex) {
  const auto encoder = encoder_for("by_reference", 0);
  ASSERT_EQ([encoder.get() encodedLength], sizeof(Args));
  EXPECT_EQ([encoder.get() alignment], alignof(Args));
  EXPECT_EQ([encoder.get() device], device());
  [encoder.get() setLabel:@"arguments"];
  EXPECT_EQ(text([encoder.get() label]), "arguments");
  const Data data;
  const BufferPointer buffer = make_buffer(std::vector<uint8_t>(3 * sizeof(Args)));
  [encoder.get() setArgumentBuffer:buffer.get() offset:sizeof(Args)];
  encode(encoder.get(), data);
  const Args expected = data.args();
  EXPECT_EQ(std::memcmp(contents<Args>(buffer) + 1, &expected, sizeof(Args)), 0);
  [encoder.get() setArgumentBuffer:buffer.get() startOffset:0 arrayElement:2];
  encode(encoder.get(), data);
  EXPECT_EQ(std::memcmp(contents<Args>(buffer) + 2, &expected, sizeof(Args)), 0);
  const Args untouched{};
  EXPECT_EQ(std::memcmp(contents<Args>(buffer), &untouched, sizeof(Args)), 0);

  EXPECT_EQ(run(make_pipeline(library(), "by_reference"), data.n, 32,
                [&](id<MTLComputeCommandEncoder> commands) {
                  [commands setBuffer:buffer.get() offset:2 * sizeof(Args) atIndex:0];
                  data.use(commands);
                }),
            "");
  data.check();

  [encoder.get() setBuffer:absent<id<MTLBuffer>>() offset:0 atIndex:0];
  EXPECT_EQ(contents<Args>(buffer)[2].out, 0u);
  [encoder.get() setBuffer:data.in_buffer.get() offset:4 atIndex:1];
  EXPECT_EQ(contents<Args>(buffer)[2].in, expected.in + 4);
}

TEST_F(ArgumentBufferTest, PointsToOthers) {
  const auto outer = encoder_for("nested", 0);
  const auto inner =
      Retained<id<MTLArgumentEncoder>>::adopt([outer.get() newArgumentEncoderForBufferAtIndex:3]);
  ASSERT_TRUE(inner);
  EXPECT_EQ([inner.get() encodedLength], 16u);
  EXPECT_FALSE([outer.get() newArgumentEncoderForBufferAtIndex:1]);
  EXPECT_FALSE([outer.get() newArgumentEncoderForBufferAtIndex:100]);
  const auto count = std::uniform_int_distribution<uint32_t>(1, 100)(random_source());
  const std::vector<float> values = random_floats(count), more = random_floats(count);
  const BufferPointer values_buffer = make_buffer(values), more_buffer = make_buffer(more),
                      out = make_buffer(std::vector<float>(count)),
                      levels = make_buffer(std::vector<uint8_t>(32)),
                      arguments = make_buffer(std::vector<uint8_t>([outer.get() encodedLength]));
  [inner.get() setArgumentBuffer:levels.get() offset:0];
  [inner.get() setBuffer:values_buffer.get() offset:0 atIndex:0];
  std::memcpy([inner.get() constantDataAtIndex:1], &count, sizeof(count));
  [inner.get() setArgumentBuffer:levels.get() startOffset:0 arrayElement:1];
  [inner.get() setBuffer:more_buffer.get() offset:0 atIndex:0];
  [outer.get() setArgumentBuffer:arguments.get() offset:0];
  [outer.get() setBuffer:levels.get() offset:0 atIndex:3];
  [outer.get() setBuffer:levels.get() offset:16 atIndex:8];
  [outer.get() setBuffer:out.get() offset:0 atIndex:1];
  EXPECT_EQ(run(make_pipeline(library(), "nested"), count, 32,
                [&](id<MTLComputeCommandEncoder> encoder) {
                  [encoder setBuffer:arguments.get() offset:0 atIndex:0];
                  id<MTLResource> used[] = {values_buffer.get(), more_buffer.get(), levels.get(),
                                            out.get()};
                  [encoder useResources:used
                                  count:4
                                  usage:MTLResourceUsageRead | MTLResourceUsageWrite];
                }),
            "");
  double expected = 0;
  for (uint32_t i = count; i-- > 0;) {
    expected += values[i];
    EXPECT_NEAR(contents<float>(out)[i], expected + more[i], 1e-3) << i;
  }
}

TEST_F(ArgumentBufferTest, LinksNodesOfSeveralBuffers) {
  struct Node {
    float value;
    uint64_t next;
  };
  std::vector<BufferPointer> buffers;
  double expected = 0;
  uint64_t next = 0;
  for (const float value : random_floats(101)) {
    const Node node{value, next};
    buffers.push_back(make_buffer(&node, sizeof(node)));
    next = [buffers.back().get() gpuAddress];
    expected += value;
  }
  const BufferPointer sum = make_buffer(std::vector<float>(1));
  const PipelinePointer chase = make_pipeline(library(), "chase");
  const auto queue = Retained<id<MTLCommandQueue>>::adopt([device() newCommandQueue]);
  id<MTLCommandBuffer> commands = [queue.get() commandBuffer];
  id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
  [encoder setComputePipelineState:chase.get()];
  [encoder setBuffer:buffers.back().get() offset:0 atIndex:0];
  [encoder setBuffer:sum.get() offset:0 atIndex:1];
  for (const BufferPointer &buffer : buffers)
    [encoder useResource:buffer.get() usage:MTLResourceUsageRead];
  [encoder dispatchThreads:MTLSizeMake(1, 1, 1) threadsPerThreadgroup:MTLSizeMake(1, 1, 1)];
  [encoder endEncoding];
  // The command buffer keeps what it was told that its kernels reach.
  buffers.clear();
  [commands commit];
  [commands waitUntilCompleted];
  EXPECT_EQ([commands status], MTLCommandBufferStatusCompleted) << message([commands error]);
  EXPECT_NEAR(contents<float>(sum)[0], expected, 1e-3);
}

TEST_F(ArgumentBufferTest, ServesKernelsThatSynchronise) {
  const size_t group = 100, groups = 7;
  const std::vector<float> in = random_floats(group * groups);
  const BufferPointer in_buffer = make_buffer(in), out = make_buffer(std::vector<float>(groups));
  const uint64_t sums[] = {[in_buffer.get() gpuAddress], [out.get() gpuAddress]};
  EXPECT_EQ(run(make_pipeline(library(), "group_sum"), in.size(), group,
                [&](id<MTLComputeCommandEncoder> encoder) {
                  [encoder setBytes:sums length:sizeof(sums) atIndex:0];
                  [encoder useResource:in_buffer.get() usage:MTLResourceUsageRead];
                  [encoder useResource:out.get() usage:MTLResourceUsageWrite];
                }),
            "");
  for (size_t n = 0; n < groups; ++n) {
    double expected = 0;
    for (size_t i = 0; i < group; ++i)
      expected += in[n * group + i];
    EXPECT_NEAR(contents<float>(out)[n], expected, 1e-3) << n;
  }
}

TEST_F(ArgumentBufferTest, IsReflected) {
  MTLComputePipelineReflection *reflection = nil;
  NSError *error = nil;
  const auto pipeline = PipelinePointer::adopt([device()
      newComputePipelineStateWithFunction:function(library(), "by_reference").get()
                                  options:MTLPipelineOptionBufferTypeInfo
                               reflection:&reflection
                                    error:&error]);
  ASSERT_TRUE(pipeline) << message(error);
  auto binding = static_cast<id<MTLBufferBinding>>([[reflection bindings] objectAtIndex:0]);
  EXPECT_EQ([device() argumentBuffersSupport], MTLArgumentBuffersTier2);
  EXPECT_TRUE([[binding bufferPointerType] elementIsArgumentBuffer]);
  MTLStructType *type = [binding bufferStructType];

  MTLStructMember *in = [type memberByName:@"in"];
  EXPECT_EQ([in argumentIndex], 1u);
  EXPECT_EQ([in offset], 8u);
  EXPECT_EQ([in dataType], MTLDataTypePointer);
  EXPECT_EQ([[in pointerType] elementType], MTLDataTypeFloat);
  EXPECT_EQ([[in pointerType] access], MTLBindingAccessReadOnly);
  EXPECT_EQ([[in pointerType] dataSize], 4u);
  EXPECT_EQ([[in pointerType] alignment], 4u);
  EXPECT_FALSE([[in pointerType] elementIsArgumentBuffer]);
  EXPECT_EQ([[[type memberByName:@"out"] pointerType] access], MTLBindingAccessReadWrite);
  EXPECT_EQ([[type memberByName:@"order"] argumentIndex], 2u);

  MTLStructMember *bank = [type memberByName:@"bank"];
  EXPECT_EQ([bank argumentIndex], 5u);
  EXPECT_EQ([bank dataType], MTLDataTypeArray);
  EXPECT_EQ([[bank arrayType] elementType], MTLDataTypePointer);
  EXPECT_EQ([[bank arrayType] arrayLength], 4u);
  EXPECT_EQ([[bank arrayType] stride], 8u);
  EXPECT_EQ([[bank arrayType] argumentIndexStride], 1u);
  EXPECT_EQ([[[bank arrayType] elementPointerType] elementType], MTLDataTypeFloat);

  MTLStructMember *inners = [type memberByName:@"inners"];
  EXPECT_EQ([inners argumentIndex], 30u);
  EXPECT_EQ([[inners arrayType] argumentIndexStride], 2u);
  MTLStructMember *q = [[[inners arrayType] elementStructType] memberByName:@"q"];
  EXPECT_EQ([q argumentIndex], 1u);
  EXPECT_EQ([[q pointerType] elementType], MTLDataTypeInt);
  EXPECT_EQ([[type memberByName:@"n"] argumentIndex], 41u);

  const auto encoder = Retained<id<MTLArgumentEncoder>>::adopt(
      [device() newArgumentEncoderWithBufferBinding:binding]);
  EXPECT_EQ([encoder.get() encodedLength], sizeof(Args));
}

TEST_F(ArgumentBufferTest, ReflectsListsOnce) {
  MTLComputePipelineReflection *reflection = nil;
  NSError *error = nil;
  const auto pipeline = PipelinePointer::adopt([device()
      newComputePipelineStateWithFunction:function(library(), "chase").get()
                                  options:MTLPipelineOptionBufferTypeInfo
                               reflection:&reflection
                                    error:&error]);
  ASSERT_TRUE(pipeline) << message(error);
  auto binding = static_cast<id<MTLBufferBinding>>([[reflection bindings] objectAtIndex:0]);
  MTLPointerType *next = [[[binding bufferStructType] memberByName:@"next"] pointerType];
  EXPECT_EQ([next elementType], MTLDataTypeStruct);
  EXPECT_TRUE([next elementIsArgumentBuffer]);
  EXPECT_EQ([[[next elementStructType] members] count], 0u);
}

TEST_F(ArgumentBufferTest, IsDescribedByTheCaller) {
  MTLArgumentDescriptor *pointers = [MTLArgumentDescriptor argumentDescriptor];
  [pointers setDataType:MTLDataTypePointer];
  [pointers setIndex:4];
  [pointers setArrayLength:3];
  [pointers setAccess:MTLBindingAccessReadWrite];
  MTLArgumentDescriptor *matrix = [MTLArgumentDescriptor argumentDescriptor];
  [matrix setDataType:MTLDataTypeFloat3x3];
  [matrix setIndex:1];
  MTLArgumentDescriptor *flag = [[pointers copy] autorelease];
  EXPECT_EQ([flag arrayLength], 3u);
  EXPECT_EQ([flag access], MTLBindingAccessReadWrite);
  [flag setDataType:MTLDataTypeBool];
  [flag setIndex:0];
  [flag setArrayLength:0];
  const auto encoder = Retained<id<MTLArgumentEncoder>>::adopt(
      [device() newArgumentEncoderWithArguments:@[ pointers, matrix, flag ]]);
  ASSERT_TRUE(encoder);
  // By index: a bool, a matrix of three columns of 16 bytes each, three addresses.
  EXPECT_EQ([encoder.get() encodedLength], 96u);
  EXPECT_EQ([encoder.get() alignment], 16u);
  const BufferPointer buffer = make_buffer(std::vector<uint8_t>(96));
  [encoder.get() setArgumentBuffer:buffer.get() offset:0];
  EXPECT_EQ([encoder.get() constantDataAtIndex:0], contents<void>(buffer));
  EXPECT_EQ([encoder.get() constantDataAtIndex:1], contents<uint8_t>(buffer) + 16);
  [encoder.get() setBuffer:buffer.get() offset:8 atIndex:6];
  EXPECT_EQ(contents<uint64_t>(buffer)[10], [buffer.get() gpuAddress] + 8);

  [matrix setConstantBlockAlignment:64];
  const auto aligned = Retained<id<MTLArgumentEncoder>>::adopt(
      [device() newArgumentEncoderWithArguments:@[ pointers, matrix, flag ]]);
  EXPECT_EQ([aligned.get() alignment], 64u);
  EXPECT_EQ([aligned.get() encodedLength], 192u);

  [flag setIndex:6];
  NSArray<MTLArgumentDescriptor *> *sharing = @[ pointers, flag ];
  EXPECT_FALSE([device() newArgumentEncoderWithArguments:sharing]);
  [flag setDataType:MTLDataTypeStruct];
  [flag setIndex:0];
  EXPECT_FALSE([device() newArgumentEncoderWithArguments:@[ flag ]]);
  EXPECT_FALSE([device() newArgumentEncoderWithArguments:@[]]);
}

TEST_F(ArgumentBufferTest, RefusesMisuse) {
  const FunctionPointer plain = function(library(), "plain");
  EXPECT_EQ(reason_of(^{
              [plain.get() newArgumentEncoderWithBufferIndex:1];
            }),
            "Buffer \"values\" at index 1 is no argument buffer.");
  EXPECT_EQ(reason_of(^{
              [plain.get() newArgumentEncoderWithBufferIndex:30];
            }),
            "Function \"plain\" takes no buffer at index 30.");
  const auto encoder = encoder_for("by_reference", 0);
  id<MTLArgumentEncoder> arguments = encoder.get();
  const BufferPointer small = make_buffer(std::vector<uint8_t>(sizeof(Args) - 1)),
                      buffer = make_buffer(std::vector<uint8_t>(2 * sizeof(Args)));
  id<MTLBuffer> large = buffer.get(), other = small.get();
  EXPECT_EQ(reason_of(^{
              [arguments setBuffer:large offset:0 atIndex:0];
            }),
            "-setBuffer:offset:atIndex: was called before an argument buffer was set.");
  EXPECT_EQ(reason_of(^{
              [arguments setArgumentBuffer:other offset:0];
            }),
            "An argument buffer of 128 bytes from offset 0 on goes beyond the length (127) of its "
            "buffer.");
  EXPECT_EQ(reason_of(^{
              [arguments setArgumentBuffer:large startOffset:0 arrayElement:NSUIntegerMax / 2];
            }),
            "An argument buffer of 128 bytes from offset 18446744073709551615 on goes beyond the "
            "length (256) of its buffer.");
  EXPECT_EQ(reason_of(^{
              [arguments setArgumentBuffer:large offset:4];
            }),
            "The offset of an argument buffer (4) is not a multiple of its alignment (8).");
  [arguments setArgumentBuffer:large offset:0];
  EXPECT_EQ(reason_of(^{
              [arguments setBuffer:large offset:0 atIndex:9];
            }),
            "-setBuffer:offset:atIndex: was given index 9, which the argument buffer does not "
            "have.");
  EXPECT_EQ(
      reason_of(^{
        [arguments setBuffer:large offset:0 atIndex:40];
      }),
      "-setBuffer:offset:atIndex: was given index 40 of an argument buffer, where a value is.");
  EXPECT_EQ(reason_of(^{
              [arguments setBuffer:large offset:257 atIndex:0];
            }),
            "The offset (257) at index 0 of an argument buffer is beyond the length (256) of the "
            "buffer.");
  EXPECT_EQ(reason_of(^{
              [arguments constantDataAtIndex:0];
            }),
            "-constantDataAtIndex: was given index 0 of an argument buffer, where a buffer is.");
}
