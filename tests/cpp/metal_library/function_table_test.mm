// Visible functions of several libraries, linked into pipelines and called through tables.
#include "compute.hpp"

#include <cmath>
#include <cstring>

using namespace metal_library;

namespace {

const char *const kernels = R"(
#include <metal_stdlib>
using namespace metal;

using Operation = float(float, device const float *);
struct Pair {
  float4 low, high;
};

kernel void apply(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                  visible_function_table<Operation> table [[buffer(5)]],
                  device const uint *which [[buffer(2)]],
                  uint i [[thread_position_in_grid]]) {
  out[i] = table[which[i]](in[i], in);
}
kernel void pairs(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                  visible_function_table<Pair(float4, ushort)> table [[buffer(2)]],
                  uint i [[thread_position_in_grid]]) {
  auto make = table[i % table.size()];
  const Pair pair = make(float4(in[i], 1, 2, 3), ushort(i));
  out[i] = pair.low.x + pair.high.w;
}
struct Args {
  device float *out;
  visible_function_table<Operation> table [[id(3)]];
};
kernel void from_arguments(constant Args &args [[buffer(0)]],
                           device const float *in [[buffer(1)]],
                           uint i [[thread_position_in_grid]]) {
  if (is_null_visible_function_table(args.table))
    args.out[i] = -1;
  else
    args.out[i] = float(args.table.size()) + (args.table.empty() ? 0 : args.table[0](in[i], in));
}
[[visible]] float elsewhere(float x);
kernel void by_name(device float *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  out[i] = elsewhere(out[i]);
}
kernel void synchronised(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                         visible_function_table<float(float, threadgroup float *, uint, uint)>
                             table [[buffer(2)]],
                         threadgroup float *scratch [[threadgroup(0)]],
                         uint i [[thread_position_in_grid]],
                         uint index [[thread_index_in_threadgroup]],
                         uint group [[threadgroup_position_in_grid]],
                         uint size [[threads_per_threadgroup]]) {
  out[i] = table[group % 2](in[i], scratch, index, size);
}
)";

const char *const functions = R"(
#include <metal_stdlib>
using namespace metal;

constant float factor [[function_constant(0)]];
constant float shifted = factor + 1;

static float helper(float x) { return x * 3; }
[[visible]] float thrice(float x, device const float *) { return helper(x); }
[[visible]] float add_first(float x, device const float *all) { return x + all[0]; }
[[stitchable]] float sine(float x, device const float *) { return precise::sin(x); }
[[visible]] float scaled(float x, device const float *) { return x * factor + shifted; }

// One sum a simdgroup, then one of the simdgroups.
[[visible]] float total(float x, threadgroup float *scratch, uint index, uint size) {
  const float sum = simd_sum(x);
  if (index % 32 == 0)
    scratch[index / 32] = sum;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  float result = 0;
  for (uint n = 0; n < (size + 31) / 32; ++n)
    result += scratch[n];
  return result;
}
// The value of the thread on the other side.
[[visible]] float mirrored(float x, threadgroup float *scratch, uint index, uint size) {
  scratch[index] = x;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  return scratch[size - 1 - index];
}
)";

const char *const others = R"(
#include <metal_stdlib>
using namespace metal;

// Another function of that name, with another meaning.
static float helper(float x) { return x - 5; }
[[visible]] float minus(float x, device const float *) { return helper(x); }
template <typename T> [[visible]] T square(T x, device const T *) { return x * x; }
template [[host_name("square_float")]] [[visible]] float square<float>(float,
                                                                        device const float *);
struct Pair {
  float4 low, high;
};
[[visible]] Pair ordered(float4 x, ushort n) { return {x * 2, x + float(n)}; }
[[visible]] Pair swapped(float4 x, ushort n) { return {x + float(n), x * 2}; }
[[visible]] float elsewhere(float x) { return 10 - x; }
)";

using TablePointer = Retained<id<MTLVisibleFunctionTable>>;

class FunctionTableTest : public MetalTest {
protected:
  static const LibraryPointer &kernel_library() {
    static const LibraryPointer library = compile(kernels);
    return library;
  }
  static const LibraryPointer &function_library() {
    static const LibraryPointer library = compile(functions);
    return library;
  }
  static const LibraryPointer &other_library() {
    static const LibraryPointer library = compile(others);
    return library;
  }
  static id<MTLFunction> one(const LibraryPointer &library, const char *name) {
    return [function(library, name).release() autorelease];
  }
  static id<MTLFunction> scaled(float factor) {
    MTLFunctionConstantValues *values = [[[MTLFunctionConstantValues alloc] init] autorelease];
    [values setConstantValue:&factor type:MTLDataTypeFloat atIndex:0];
    NSError *error = nil;
    id<MTLFunction> made = [function_library().get() newFunctionWithName:@"scaled"
                                                          constantValues:values
                                                                   error:&error];
    EXPECT_TRUE(made) << message(error);
    return [made autorelease];
  }

  static MTLComputePipelineDescriptor *descriptor(const char *kernel,
                                                  NSArray<id<MTLFunction>> *linked) {
    MTLComputePipelineDescriptor *descriptor =
        [[[MTLComputePipelineDescriptor alloc] init] autorelease];
    [descriptor setComputeFunction:one(kernel_library(), kernel)];
    MTLLinkedFunctions *functions = [MTLLinkedFunctions linkedFunctions];
    [functions setFunctions:linked];
    [descriptor setLinkedFunctions:functions];
    return descriptor;
  }
  static PipelinePointer pipeline(MTLComputePipelineDescriptor *descriptor,
                                  NSError **error = nullptr,
                                  MTLPipelineOption options = MTLPipelineOptionNone) {
    return PipelinePointer::adopt([device() newComputePipelineStateWithDescriptor:descriptor
                                                                          options:options
                                                                       reflection:nullptr
                                                                            error:error]);
  }
  static TablePointer table(const PipelinePointer &pipeline, NSUInteger count) {
    MTLVisibleFunctionTableDescriptor *descriptor =
        [MTLVisibleFunctionTableDescriptor visibleFunctionTableDescriptor];
    [descriptor setFunctionCount:count];
    return TablePointer::adopt([pipeline.get() newVisibleFunctionTableWithDescriptor:descriptor]);
  }
  /// A table with these functions in this order.
  static TablePointer table(const PipelinePointer &pipeline, NSArray<id<MTLFunction>> *functions) {
    TablePointer made = table(pipeline, [functions count]);
    for (NSUInteger i = 0; i < [functions count]; ++i) {
      id<MTLFunctionHandle> handle =
          [pipeline.get() functionHandleWithFunction:[functions objectAtIndex:i]];
      EXPECT_TRUE(handle) << i;
      [made.get() setFunction:handle atIndex:i];
    }
    return made;
  }
};

} // namespace

TEST_F(FunctionTableTest, CallsFunctionsOfSeveralLibraries) {
  NSArray<id<MTLFunction>> *linked = @[
    one(function_library(), "thrice"), one(function_library(), "add_first"),
    one(function_library(), "sine"), one(other_library(), "minus"),
    one(other_library(), "square_float"), scaled(2), scaled(-0.5f)
  ];
  const PipelinePointer apply = pipeline(descriptor("apply", linked));
  ASSERT_TRUE(apply);
  const TablePointer functions = table(apply, linked);
  const size_t count = std::uniform_int_distribution<size_t>(1, 3000)(random_source());
  const std::vector<float> in = random_floats(count);
  std::vector<uint32_t> which;
  std::uniform_int_distribution<uint32_t> index(0, 6);
  for (size_t i = 0; i < count; ++i)
    which.push_back(index(random_source()));
  const BufferPointer out = make_buffer(std::vector<float>(count)), in_buffer = make_buffer(in),
                      which_buffer = make_buffer(which);
  EXPECT_EQ(run(apply, count, 100,
                [&](id<MTLComputeCommandEncoder> encoder) {
                  [encoder setBuffer:out.get() offset:0 atIndex:0];
                  [encoder setBuffer:in_buffer.get() offset:0 atIndex:1];
                  [encoder setBuffer:which_buffer.get() offset:0 atIndex:2];
                  [encoder setVisibleFunctionTable:functions.get() atBufferIndex:5];
                }),
            "");
  for (size_t i = 0; i < count; ++i) {
    const double x = in[i];
    const double expected[] = {x * 3, x + in[0], std::sin(x),   x - 5,
                               x * x, x * 2 + 3, x * -0.5 + 0.5};
    ASSERT_NEAR(contents<float>(out)[i], expected[which[i]],
                1e-5 * (1 + std::abs(expected[which[i]])))
        << i << ": function " << which[i];
  }
}

TEST_F(FunctionTableTest, ReturnsStructs) {
  NSArray<id<MTLFunction>> *linked =
      @[ one(other_library(), "ordered"), one(other_library(), "swapped") ];
  const PipelinePointer pairs = pipeline(descriptor("pairs", linked));
  ASSERT_TRUE(pairs);
  // The third place is empty: it gives zeros.
  const TablePointer functions = table(pairs, 3);
  for (NSUInteger i = 0; i < 2; ++i)
    [functions.get() setFunction:[pairs.get() functionHandleWithFunction:[linked objectAtIndex:i]]
                         atIndex:i];
  const std::vector<float> in = random_floats(101);
  const BufferPointer out = make_buffer(std::vector<float>(101, 7.0f)), in_buffer = make_buffer(in);
  EXPECT_EQ(run(pairs, 101, 32,
                [&](id<MTLComputeCommandEncoder> encoder) {
                  [encoder setBuffer:out.get() offset:0 atIndex:0];
                  [encoder setBuffer:in_buffer.get() offset:0 atIndex:1];
                  [encoder setVisibleFunctionTable:functions.get() atBufferIndex:2];
                }),
            "");
  for (size_t i = 0; i < 101; ++i) {
    const auto n = static_cast<double>(i);
    const double expected[] = {in[i] * 2.0 + 3 + n, in[i] + n + 6, 0};
    ASSERT_NEAR(contents<float>(out)[i], expected[i % 3], 1e-4) << i;
  }
}

TEST_F(FunctionTableTest, CallsFunctionsThatSynchronise) {
  NSArray<id<MTLFunction>> *linked =
      @[ one(function_library(), "total"), one(function_library(), "mirrored") ];
  const PipelinePointer synchronised = pipeline(descriptor("synchronised", linked));
  ASSERT_TRUE(synchronised);
  const TablePointer functions = table(synchronised, linked);
  const size_t group = std::uniform_int_distribution<size_t>(2, 200)(random_source()), groups = 4;
  const std::vector<float> in = random_floats(group * groups);
  const BufferPointer out = make_buffer(std::vector<float>(in.size())), in_buffer = make_buffer(in);
  EXPECT_EQ(run(synchronised, in.size(), group,
                [&](id<MTLComputeCommandEncoder> encoder) {
                  [encoder setBuffer:out.get() offset:0 atIndex:0];
                  [encoder setBuffer:in_buffer.get() offset:0 atIndex:1];
                  [encoder setVisibleFunctionTable:functions.get() atBufferIndex:2];
                  [encoder setThreadgroupMemoryLength:1024 atIndex:0];
                }),
            "");
  for (size_t i = 0; i < in.size(); ++i) {
    const size_t first = i / group * group;
    double expected = 0;
    if (i / group % 2 == 1)
      expected = in[first + group - 1 - i % group];
    else
      for (size_t n = 0; n < group; ++n)
        expected += in[first + n];
    ASSERT_NEAR(contents<float>(out)[i], expected, 1e-3) << i << " of groups of " << group;
  }
}

TEST_F(FunctionTableTest, LiesInAnArgumentBuffer) {
  id<MTLFunction> square = one(other_library(), "square_float");
  const PipelinePointer from_arguments = pipeline(descriptor("from_arguments", @[ square ]));
  ASSERT_TRUE(from_arguments);
  const TablePointer functions = table(from_arguments, @[ square ]);
  const auto encoder = Retained<id<MTLArgumentEncoder>>::adopt(
      [one(kernel_library(), "from_arguments") newArgumentEncoderWithBufferIndex:0]);
  ASSERT_EQ([encoder.get() encodedLength], 16u);
  const std::vector<float> in = random_floats(33);
  const BufferPointer out = make_buffer(std::vector<float>(33)), in_buffer = make_buffer(in),
                      arguments = make_buffer(std::vector<uint8_t>(16));
  [encoder.get() setArgumentBuffer:arguments.get() offset:0];
  [encoder.get() setBuffer:out.get() offset:0 atIndex:0];
  for (const bool is_set : {true, false}) {
    [encoder.get() setVisibleFunctionTable:is_set ? functions.get() : nil atIndex:3];
    EXPECT_EQ(run(from_arguments, 33, 32,
                  [&](id<MTLComputeCommandEncoder> commands) {
                    [commands setBuffer:arguments.get() offset:0 atIndex:0];
                    [commands setBuffer:in_buffer.get() offset:0 atIndex:1];
                    [commands useResource:functions.get() usage:MTLResourceUsageRead];
                    [commands useResource:out.get() usage:MTLResourceUsageWrite];
                  }),
              "");
    for (size_t i = 0; i < 33; ++i)
      ASSERT_NEAR(contents<float>(out)[i], is_set ? 1 + in[i] * in[i] : -1, 1e-4) << i;
  }
  id<MTLArgumentEncoder> misused = encoder.get();
  id<MTLVisibleFunctionTable> bound = functions.get();
  EXPECT_EQ(reason_of(^{
              [misused setVisibleFunctionTable:bound atIndex:0];
            }),
            "-setVisibleFunctionTable:atIndex: was given index 0 of an argument buffer, where a "
            "buffer is.");
}

TEST_F(FunctionTableTest, LinksFunctionsByName) {
  MTLComputePipelineDescriptor *by_name = descriptor("by_name", nil);
  NSError *error = nil;
  EXPECT_FALSE(pipeline(by_name, &error));
  EXPECT_EQ(message(error), "The visible function \"elsewhere\" is called by name and is none of "
                            "the pipeline's linked functions.");
  [[by_name linkedFunctions] setPrivateFunctions:@[ one(other_library(), "elsewhere") ]];
  const PipelinePointer linked = pipeline(by_name, &error);
  ASSERT_TRUE(linked) << message(error);
  EXPECT_FALSE([linked.get() functionHandleWithFunction:one(other_library(), "elsewhere")]);
  const std::vector<float> in = random_floats(50);
  const BufferPointer out = make_buffer(in);
  EXPECT_EQ(run(linked, 50, 50,
                [&](id<MTLComputeCommandEncoder> encoder) {
                  [encoder setBuffer:out.get() offset:0 atIndex:0];
                }),
            "");
  for (size_t i = 0; i < 50; ++i)
    EXPECT_FLOAT_EQ(contents<float>(out)[i], 10 - in[i]);
}

TEST_F(FunctionTableTest, IsKeptInArchives) {
  NSArray<id<MTLFunction>> *linked = @[ scaled(2) ];
  MTLComputePipelineDescriptor *archived = descriptor("apply", linked);
  NSError *error = nil;
  MTLBinaryArchiveDescriptor *empty = [[[MTLBinaryArchiveDescriptor alloc] init] autorelease];
  const auto archive =
      Retained<id<MTLBinaryArchive>>::adopt([device() newBinaryArchiveWithDescriptor:empty
                                                                               error:&error]);
  ASSERT_TRUE([archive.get() addComputePipelineFunctionsWithDescriptor:archived error:&error])
      << message(error);
  const auto is_archived = [&](NSArray<id<MTLFunction>> *functions) {
    MTLComputePipelineDescriptor *asked = descriptor("apply", functions);
    [asked setBinaryArchives:@[ archive.get() ]];
    const PipelinePointer found =
        pipeline(asked, nullptr, MTLPipelineOptionFailOnBinaryArchiveMiss);
    if (!found || [functions count] == 0)
      return found.get() != nil;
    const float in = 3;
    const uint32_t which = 0;
    const TablePointer functions_table = table(found, functions);
    const BufferPointer out = make_buffer(std::vector<float>(1));
    EXPECT_EQ(run(found, 1, 1,
                  [&](id<MTLComputeCommandEncoder> encoder) {
                    [encoder setBuffer:out.get() offset:0 atIndex:0];
                    [encoder setBytes:&in length:4 atIndex:1];
                    [encoder setBytes:&which length:4 atIndex:2];
                    [encoder setVisibleFunctionTable:functions_table.get() atBufferIndex:5];
                  }),
              "");
    EXPECT_EQ(contents<float>(out)[0], 9);
    return true;
  };
  EXPECT_TRUE(is_archived(linked));
  EXPECT_FALSE(is_archived(nil));
  EXPECT_FALSE(is_archived(@[ scaled(3) ]));
  NSArray<id<MTLFunction>> *more = @[ scaled(2), one(other_library(), "minus") ];
  EXPECT_FALSE(is_archived(more));
}

TEST_F(FunctionTableTest, KnowsItsPipeline) {
  id<MTLFunction> minus = one(other_library(), "minus");
  const PipelinePointer apply = pipeline(descriptor("apply", @[ minus ])),
                        other = pipeline(descriptor("apply", @[ minus ]));
  ASSERT_TRUE(apply && other);
  id<MTLFunctionHandle> handle = [apply.get() functionHandleWithFunction:minus];
  EXPECT_EQ(text([handle name]), "minus");
  EXPECT_EQ([handle functionType], MTLFunctionTypeVisible);
  EXPECT_EQ([handle device], device());
  EXPECT_FALSE([apply.get() functionHandleWithFunction:one(function_library(), "thrice")]);
  EXPECT_FALSE([apply.get() functionHandleWithFunction:one(kernel_library(), "apply")]);
  EXPECT_FALSE(table(apply, NSUInteger{0}));
  EXPECT_FALSE(table(apply, NSUIntegerMax));

  const TablePointer own = table(apply, @[ minus ]), foreign = table(other, @[ minus ]);
  id<MTLVisibleFunctionTable> misused = foreign.get();
  EXPECT_EQ(reason_of(^{
              [misused setFunction:handle atIndex:0];
            }),
            "The function for index 0 of a function table is no handle of the pipeline that the "
            "table was made by.");
  EXPECT_EQ(reason_of(^{
              [misused setFunction:nil atIndex:1];
            }),
            "The index of a function (1) is larger than the largest (0) of its function table.");

  const BufferPointer buffer = make_buffer(std::vector<float>(1));
  const auto error_with = [&](const std::function<void(id<MTLComputeCommandEncoder>)> &bind) {
    return run(apply, 1, 1, [&](id<MTLComputeCommandEncoder> encoder) {
      for (NSUInteger i = 0; i < 3; ++i)
        [encoder setBuffer:buffer.get() offset:0 atIndex:i];
      bind(encoder);
    });
  };
  const std::string subject = "Function table \"table\" at index 5 of kernel \"apply\" is ";
  const auto ends = [](const std::string &error, const std::string &end) {
    return error.find(end) != std::string::npos;
  };
  EXPECT_PRED2(ends, error_with([](id<MTLComputeCommandEncoder>) {}), subject + "not bound.");
  EXPECT_PRED2(ends, error_with([&](id<MTLComputeCommandEncoder> encoder) {
                 [encoder setBuffer:buffer.get() offset:0 atIndex:5];
               }),
               subject + "bound to a buffer.");
  EXPECT_PRED2(ends, error_with([&](id<MTLComputeCommandEncoder> encoder) {
                 [encoder setVisibleFunctionTable:foreign.get() atBufferIndex:5];
               }),
               subject + "bound to a table that another pipeline made.");
  EXPECT_PRED2(ends, error_with([&](id<MTLComputeCommandEncoder> encoder) {
                 [encoder setVisibleFunctionTable:own.get() atBufferIndex:5];
                 [encoder setVisibleFunctionTable:own.get() atBufferIndex:0];
               }),
               "Buffer \"out\" at index 0 of kernel \"apply\" is bound to a function table.");
}

TEST_F(FunctionTableTest, IsReflected) {
  MTLComputePipelineReflection *reflection = nil;
  NSError *error = nil;
  const auto pipeline = PipelinePointer::adopt([device()
      newComputePipelineStateWithFunction:one(kernel_library(), "apply")
                                  options:MTLPipelineOptionBindingInfo
                               reflection:&reflection
                                    error:&error]);
  ASSERT_TRUE(pipeline) << message(error);
  id<MTLBinding> binding = [[reflection bindings] objectAtIndex:2];
  EXPECT_EQ(text([binding name]), "table");
  EXPECT_EQ([binding type], MTLBindingTypeVisibleFunctionTable);
  EXPECT_EQ([binding index], 5u);
  EXPECT_EQ([binding access], MTLBindingAccessReadOnly);
}

TEST_F(FunctionTableTest, TakesVisibleFunctionsOnly) {
  NSError *error = nil;
  EXPECT_FALSE(pipeline(descriptor("apply", @[ one(kernel_library(), "pairs") ]), &error));
  EXPECT_EQ(message(error), "Function \"pairs\" is not visible and cannot be linked.");
  MTLComputePipelineDescriptor *visible = descriptor("apply", nil);
  [visible setComputeFunction:one(other_library(), "minus")];
  EXPECT_FALSE(pipeline(visible, &error));
  EXPECT_EQ(message(error), "Function \"minus\" is not a kernel.");
}

TEST_F(FunctionTableTest, DescriptorsAreCopied) {
  MTLComputePipelineDescriptor *original = descriptor("apply", @[ one(other_library(), "minus") ]);
  [original setMaxCallStackDepth:3];
  MTLComputePipelineDescriptor *copy = [[original copy] autorelease];
  [original reset];
  EXPECT_EQ([[[copy linkedFunctions] functions] count], 1u);
  EXPECT_EQ([copy maxCallStackDepth], 3u);
  EXPECT_EQ([[[original linkedFunctions] functions] count], 0u);
  EXPECT_EQ([original maxCallStackDepth], 1u);
}
