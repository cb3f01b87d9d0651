// What adding to a binary archive asks of the compiler.
#include "fixture.hpp"

using namespace metal_library;

namespace {

class ArchiveAddTest : public MetalTest {
protected:
  LibraryPointer library_ = compile("kernel plain\nkernel broken\nkernel tuned\n"
                                    "constant size 0 29 required\n");
  Retained<id<MTLBinaryArchive>> archive_ = Retained<id<MTLBinaryArchive>>::adopt([device()
      newBinaryArchiveWithDescriptor:[[[MTLBinaryArchiveDescriptor alloc] init] autorelease]
                               error:nullptr]);

  FunctionPointer tuned(int size) {
    MTLFunctionConstantValues *values = [[[MTLFunctionConstantValues alloc] init] autorelease];
    [values setConstantValue:&size type:MTLDataTypeInt atIndex:0];
    return FunctionPointer::adopt([library_.get() newFunctionWithName:@"tuned"
                                                       constantValues:values
                                                                error:nullptr]);
  }
  MTLComputePipelineDescriptor *descriptor(const FunctionPointer &function) {
    MTLComputePipelineDescriptor *descriptor =
        [[[MTLComputePipelineDescriptor alloc] init] autorelease];
    [descriptor setComputeFunction:function.get()];
    [descriptor setBinaryArchives:@[ archive_.get() ]];
    return descriptor;
  }
  bool add(const FunctionPointer &function, NSError **error = nullptr) {
    return [archive_.get() addComputePipelineFunctionsWithDescriptor:descriptor(function)
                                                               error:error];
  }
  PipelinePointer pipeline(const FunctionPointer &function,
                           MTLPipelineOption options = MTLPipelineOptionNone) {
    return PipelinePointer::adopt([device()
        newComputePipelineStateWithDescriptor:descriptor(function)
                                      options:options
                                   reflection:nullptr
                                        error:nullptr]);
  }
};

int compiled() { return fake_count("fake_compiler_compiled_kernels"); }

} // namespace

TEST_F(ArchiveAddTest, CompilesEachKernelOnce) {
  const FunctionPointer plain = function(library_, "plain");
  const int before = compiled();
  for (int attempt = 0; attempt < 3; ++attempt) {
    EXPECT_TRUE(add(plain));
    EXPECT_EQ(compiled(), before + 1);
  }
  EXPECT_TRUE(add(tuned(1)));
  EXPECT_TRUE(add(tuned(2)));
  EXPECT_TRUE(add(tuned(1)));
  EXPECT_EQ(compiled(), before + 3);
}

TEST_F(ArchiveAddTest, TakesTheCodeOfAPipelineThatIsAlive) {
  for (const FunctionPointer &function : {function(library_, "plain"), tuned(1)}) {
    const PipelinePointer alive = pipeline(function);
    ASSERT_TRUE(alive);
    const int before = compiled();
    EXPECT_TRUE(add(function));
    EXPECT_EQ(compiled(), before);
  }
  // That of another specialisation is another kernel.
  const int before = compiled();
  EXPECT_TRUE(add(tuned(2)));
  EXPECT_EQ(compiled(), before + 1);
}

TEST_F(ArchiveAddTest, CompilesAgainOnceThePipelineIsGone) {
  const FunctionPointer plain = function(library_, "plain");
  @autoreleasepool {
    ASSERT_TRUE(pipeline(plain));
  }
  const int before = compiled();
  EXPECT_TRUE(add(plain));
  EXPECT_EQ(compiled(), before + 1);
}

TEST_F(ArchiveAddTest, SaysWhatIsWrongWithTheKernel) {
  NSError *error = nil;
  EXPECT_FALSE(add(function(library_, "broken"), &error));
  EXPECT_EQ(text([error domain]), text(MTLBinaryArchiveDomain));
  EXPECT_EQ([error code], MTLBinaryArchiveErrorCompilationFailure);
  EXPECT_EQ(message(error), "error in the kernel");
}

TEST_F(ArchiveAddTest, CodeThatCannotBeLoadedIsCompiledAnew) {
  const FunctionPointer plain = function(library_, "plain");
  EXPECT_TRUE(add(plain));
  EXPECT_FALSE(pipeline(plain, MTLPipelineOptionFailOnBinaryArchiveMiss));
  EXPECT_TRUE(pipeline(plain));
}
