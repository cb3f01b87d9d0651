// What adding to a binary archive asks of the compiler.
#include "fixture.hpp"

#include "support/temporary_folder.hpp"

#include "objc/attach_thread.hpp"

#include <atomic>
#include <filesystem>
#include <thread>

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

TEST_F(ArchiveAddTest, ThreadsShareAnArchive) {
  const metalcore::test::TemporaryFolder own;
  const std::filesystem::path &folder = own.path();
  NSURL *url = [NSURL fileURLWithPath:[NSString stringWithUTF8String:(folder / "archive").c_str()]];
  std::atomic<int> failures{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 16; ++i)
    threads.emplace_back([&, i] {
      metalcore::objc::attach_thread();
      @autoreleasepool {
        for (int step = 0; step < 10; ++step) {
          const FunctionPointer function = tuned((i + step) % 7);
          const PipelinePointer alive = step % 2 ? pipeline(function) : nullptr;
          failures += !add(function);
          failures += !pipeline(function); // its code cannot be loaded, so it is compiled
          failures += ![archive_.get() serializeToURL:url error:nullptr];
        }
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failures, 0);
  const int before = compiled();
  for (int size = 0; size < 7; ++size)
    EXPECT_TRUE(add(tuned(size)));
  EXPECT_EQ(compiled(), before);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
}
