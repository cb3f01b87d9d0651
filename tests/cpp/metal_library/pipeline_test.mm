#include "fixture.hpp"

#include <functional>
#include <future>
#include <thread>

using namespace metal_library;

namespace {

class PipelineTest : public MetalTest {
protected:
  LibraryPointer library_ = compile("kernel typed\nkernel small\nkernel greedy\nkernel broken\n"
                                    "kernel plain\nvisible helper\n");

  PipelinePointer make(MTLComputePipelineDescriptor *descriptor, NSError **error) {
    return PipelinePointer::adopt([device() newComputePipelineStateWithDescriptor:descriptor
                                                                          options:0
                                                                       reflection:nullptr
                                                                            error:error]);
  }
  PipelinePointer make(const std::string &name, NSError **error) {
    return PipelinePointer::adopt(
        [device() newComputePipelineStateWithFunction:function(library_, name).get() error:error]);
  }
  std::string failure(const std::string &name) {
    NSError *error = nil;
    EXPECT_FALSE(make(name, &error));
    EXPECT_EQ(text([error domain]), "MTLLibraryErrorDomain");
    return message(error);
  }
  MTLComputePipelineDescriptor *descriptor(const std::string &name) {
    MTLComputePipelineDescriptor *descriptor =
        [[[MTLComputePipelineDescriptor alloc] init] autorelease];
    [descriptor setComputeFunction:function(library_, name).get()];
    return descriptor;
  }
};

} // namespace

TEST_F(PipelineTest, HasLimits) {
  NSError *error = nil;
  const PipelinePointer typed = make("typed", &error);
  ASSERT_TRUE(typed) << message(error);
  EXPECT_EQ([typed.get() maxTotalThreadsPerThreadgroup], 1024u);
  EXPECT_EQ([typed.get() threadExecutionWidth], 32u);
  EXPECT_EQ([typed.get() staticThreadgroupMemoryLength], 256u);
  EXPECT_EQ([typed.get() device], device());
  EXPECT_EQ([typed.get() label], nil);
  EXPECT_EQ([make("small", &error).get() maxTotalThreadsPerThreadgroup], 128u);
}

TEST_F(PipelineTest, TakesTheSmallestLimitOnThreads) {
  MTLComputePipelineDescriptor *plain = descriptor("plain");
  [plain setLabel:@"limited"];
  [plain setMaxTotalThreadsPerThreadgroup:64];
  NSError *error = nil;
  const PipelinePointer limited = make(plain, &error);
  EXPECT_EQ([limited.get() maxTotalThreadsPerThreadgroup], 64u);
  EXPECT_EQ(text([limited.get() label]), "limited");

  MTLComputePipelineDescriptor *small = descriptor("small");
  [small setMaxTotalThreadsPerThreadgroup:512];
  EXPECT_EQ([make(small, &error).get() maxTotalThreadsPerThreadgroup], 128u);

  MTLCompileOptions *options = [[[MTLCompileOptions alloc] init] autorelease];
  [options setMaxTotalThreadsPerThreadgroup:96];
  const FunctionPointer k = function(compile("kernel k\n", options), "k");
  const auto pipeline =
      PipelinePointer::adopt([device() newComputePipelineStateWithFunction:k.get() error:&error]);
  EXPECT_EQ([pipeline.get() maxTotalThreadsPerThreadgroup], 96u);
}

TEST_F(PipelineTest, SaysWhyItCannotBeMade) {
  EXPECT_EQ(failure("broken"), "error in the kernel");
  EXPECT_EQ(failure("helper"), "Function \"helper\" is not a kernel.");
  EXPECT_EQ(failure("greedy"), "Threadgroup memory of kernel \"greedy\" (32769 bytes) is larger "
                               "than the limit (32768 bytes).");

  MTLComputePipelineDescriptor *plain = descriptor("plain");
  [plain setMaxTotalThreadsPerThreadgroup:2048];
  NSError *error = nil;
  EXPECT_FALSE(make(plain, &error));
  EXPECT_EQ(message(error), "maxTotalThreadsPerThreadgroup (2048) is larger than the limit (1024) "
                            "of kernel \"plain\".");

  [plain reset];
  EXPECT_FALSE(make(plain, &error));
  EXPECT_EQ(message(error),
            "A compute pipeline needs a function that a library of this device made.");
  EXPECT_FALSE(make(plain, nullptr));
}

TEST_F(PipelineTest, IsMadeInAllForms) {
  const FunctionPointer typed = function(library_, "typed");
  MTLComputePipelineDescriptor *descriptor = this->descriptor("typed");
  using Make = std::function<PipelinePointer(MTLComputePipelineReflection **)>;
  const std::vector<Make> forms = {
      [&](MTLComputePipelineReflection **reflection) {
        return PipelinePointer::adopt([device()
            newComputePipelineStateWithFunction:typed.get()
                                        options:MTLPipelineOptionBindingInfo
                                     reflection:reflection
                                          error:nullptr]);
      },
      [&](MTLComputePipelineReflection **reflection) {
        return PipelinePointer::adopt([device()
            newComputePipelineStateWithDescriptor:descriptor
                                          options:MTLPipelineOptionBindingInfo
                                       reflection:reflection
                                            error:nullptr]);
      },
  };
  for (const Make &make : forms) {
    MTLComputePipelineReflection *reflection = nil;
    EXPECT_TRUE(make(&reflection));
    EXPECT_EQ([[reflection bindings] count], 3u);
    EXPECT_TRUE(make(nullptr));
  }
}

TEST_F(PipelineTest, AnswersOnAnotherThreadInAllForms) {
  struct Answer {
    PipelinePointer pipeline;
    Retained<MTLComputePipelineReflection *> reflection;
    Retained<NSError *> error;
    std::thread::id thread;
  };
  for (const std::string name : {"typed", "broken"}) {
    for (int form = 0; form < 3; ++form) {
      auto promise = std::make_shared<std::promise<Answer>>();
      const auto handler = ^(id<MTLComputePipelineState> pipeline,
                             MTLComputePipelineReflection *reflection, NSError *error) {
        promise->set_value({PipelinePointer::retain(pipeline),
                            Retained<MTLComputePipelineReflection *>::retain(reflection),
                            Retained<NSError *>::retain(error), std::this_thread::get_id()});
      };
      const FunctionPointer function = metal_library::function(library_, name);
      if (form == 0)
        [device()
            newComputePipelineStateWithFunction:function.get()
                              completionHandler:^(id<MTLComputePipelineState> pipeline,
                                                  NSError *error) {
                                promise->set_value({PipelinePointer::retain(pipeline), nullptr,
                                                    Retained<NSError *>::retain(error),
                                                    std::this_thread::get_id()});
                              }];
      else if (form == 1)
        [device() newComputePipelineStateWithFunction:function.get()
                                              options:MTLPipelineOptionBindingInfo
                                    completionHandler:handler];
      else
        [device() newComputePipelineStateWithDescriptor:descriptor(name)
                                                options:MTLPipelineOptionBindingInfo
                                      completionHandler:handler];
      const Answer answer = promise->get_future().get();
      EXPECT_NE(answer.thread, std::this_thread::get_id());
      EXPECT_EQ(bool(answer.pipeline), name == "typed") << form;
      EXPECT_EQ(bool(answer.error), name == "broken") << form;
      EXPECT_EQ(bool(answer.reflection), name == "typed" && form != 0) << form;
    }
  }
}

TEST_F(PipelineTest, UnloadsItsCode) {
  const int before = fake_count("fake_compiler_loaded_count");
  {
    NSError *error = nil;
    @autoreleasepool {
      const PipelinePointer first = make("plain", &error), second = make("small", &error);
      EXPECT_EQ(fake_count("fake_compiler_loaded_count"), before + 2);
    }
    @autoreleasepool {
      EXPECT_FALSE(make("greedy", &error));
    }
  }
  EXPECT_EQ(fake_count("fake_compiler_loaded_count"), before);
}

TEST_F(PipelineTest, DescriptorsCopyEverything) {
  MTLComputePipelineDescriptor *plain = descriptor("plain");
  [plain setLabel:@"label"];
  [plain setThreadGroupSizeIsMultipleOfThreadExecutionWidth:YES];
  [plain setMaxTotalThreadsPerThreadgroup:64];
  [[[plain buffers] objectAtIndexedSubscript:3] setMutability:MTLMutabilityImmutable];
  MTLComputePipelineDescriptor *copy = [[plain copy] autorelease];
  [plain reset];
  EXPECT_EQ([plain computeFunction], nil);
  EXPECT_EQ([plain label], nil);
  EXPECT_FALSE([plain threadGroupSizeIsMultipleOfThreadExecutionWidth]);
  EXPECT_EQ([[[plain buffers] objectAtIndexedSubscript:3] mutability], MTLMutabilityDefault);
  EXPECT_EQ(text([copy label]), "label");
  EXPECT_TRUE([copy threadGroupSizeIsMultipleOfThreadExecutionWidth]);
  EXPECT_EQ([copy maxTotalThreadsPerThreadgroup], 64u);
  EXPECT_EQ(text([[copy computeFunction] name]), "plain");
  EXPECT_EQ([[[copy buffers] objectAtIndexedSubscript:3] mutability], MTLMutabilityImmutable);
  EXPECT_ANY_THROW([[copy buffers] objectAtIndexedSubscript:31]);
}
