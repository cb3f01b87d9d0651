// What kernels log, with the real compiler.
#include "fixture.hpp"

#include <mutex>
#include <set>
#include <string>

using namespace metal_library;

namespace {

using LogStatePointer = Retained<id<MTLLogState>>;

struct Message {
  std::string subsystem, category;
  MTLLogLevel level;
  std::string text;
};

/// A log state and what its handler saw.
class Log {
public:
  explicit Log(MTLLogLevel level = MTLLogLevelDebug, NSInteger buffer_size = 1 << 16) {
    MTLLogStateDescriptor *descriptor = [[[MTLLogStateDescriptor alloc] init] autorelease];
    [descriptor setLevel:level];
    [descriptor setBufferSize:buffer_size];
    state_ = LogStatePointer::adopt([device() newLogStateWithDescriptor:descriptor error:nullptr]);
    Log *const log = this;
    [state_.get() addLogHandler:^(NSString *subsystem, NSString *category, MTLLogLevel level,
                                  NSString *message) {
      std::lock_guard lock(log->mutex_);
      log->messages_.push_back({subsystem ? text(subsystem) : "nil",
                                category ? text(category) : "nil", level, text(message)});
    }];
  }

  id<MTLLogState> state() const { return state_.get(); }
  std::vector<Message> messages() {
    std::lock_guard lock(mutex_);
    return messages_;
  }

private:
  LogStatePointer state_;
  std::mutex mutex_;
  std::vector<Message> messages_;
};

PipelinePointer pipeline(const char *body, bool enables_logging = true,
                         MTLLanguageVersion version = MTLLanguageVersion3_2) {
  MTLCompileOptions *options = [[[MTLCompileOptions alloc] init] autorelease];
  [options setEnableLogging:enables_logging];
  [options setLanguageVersion:version];
  NSError *error = nil;
  NSString *source = [NSString stringWithFormat:@"#include <metal_stdlib>\n"
                                                 "#include <metal_logging>\n"
                                                 "using namespace metal;\n%s",
                                                body];
  const auto library = LibraryPointer::adopt([device() newLibraryWithSource:source
                                                                    options:options
                                                                      error:&error]);
  EXPECT_TRUE(library) << message(error);
  const auto function = FunctionPointer::adopt([library.get() newFunctionWithName:@"k"]);
  const auto made =
      PipelinePointer::adopt([device() newComputePipelineStateWithFunction:function.get()
                                                                     error:&error]);
  EXPECT_TRUE(made) << message(error);
  return made;
}

Retained<id<MTLCommandQueue>> queue_that_logs_to(id<MTLLogState> state) {
  MTLCommandQueueDescriptor *descriptor = [[[MTLCommandQueueDescriptor alloc] init] autorelease];
  [descriptor setLogState:state];
  return Retained<id<MTLCommandQueue>>::adopt([device() newCommandQueueWithDescriptor:descriptor]);
}

void run(id<MTLCommandBuffer> commands, id<MTLComputePipelineState> pipeline, NSUInteger threads,
         NSUInteger group = 1) {
  id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
  [encoder setComputePipelineState:pipeline];
  [encoder dispatchThreads:MTLSizeMake(threads, 1, 1)
      threadsPerThreadgroup:MTLSizeMake(group, 1, 1)];
  [encoder endEncoding];
  [commands commit];
  [commands waitUntilCompleted];
  EXPECT_EQ([commands status], MTLCommandBufferStatusCompleted) << message([commands error]);
}

TEST(Log, HandsMessagesToTheHandlerBeforeTheCommandBufferCompletes) {
  @autoreleasepool {
    Log log;
    const auto queue = queue_that_logs_to(log.state());
    const auto kernel = pipeline(R"(
constant os_log logger("com.example", "tests");
kernel void k(uint i [[thread_position_in_grid]]) {
  if (i == 5) {
    half2 h(0.5h, -1);
    logger.log_error("%u %d %.3f %s", i, short(-3), 1.0f / 3, "text");
    logger.log("%v4hlf %v2hf", float4(1, 2, 3, 4), h);
    os_log_default.log_debug("%lu 100%%", ulong(i) << 40);
    os_log_default.log_info("nothing");
    os_log_default.log_fault("%c", 'x');
  }
})");
    run([queue.get() commandBuffer], kernel.get(), 64);
    const std::vector<Message> messages = log.messages();
    ASSERT_EQ(messages.size(), 5u);
    EXPECT_EQ(messages[0].subsystem, "com.example");
    EXPECT_EQ(messages[0].category, "tests");
    EXPECT_EQ(messages[0].level, MTLLogLevelError);
    EXPECT_EQ(messages[0].text, "5 -3 0.333 text");
    EXPECT_EQ(messages[1].level, MTLLogLevelNotice);
    EXPECT_EQ(messages[1].text, "1.000000,2.000000,3.000000,4.000000 0.500000,-1.000000");
    EXPECT_EQ(messages[2].subsystem, "nil");
    EXPECT_EQ(messages[2].level, MTLLogLevelDebug);
    EXPECT_EQ(messages[2].text, "5497558138880 100%");
    EXPECT_EQ(messages[3].level, MTLLogLevelInfo);
    EXPECT_EQ(messages[3].text, "nothing");
    EXPECT_EQ(messages[4].level, MTLLogLevelFault);
    EXPECT_EQ(messages[4].text, "x");
  }
}

TEST(Log, TakesTheMessagesOfAllThreads) {
  @autoreleasepool {
    // Rows of threads, and fibers: the second waits.
    for (const char *body :
         {"kernel void k(uint i [[thread_position_in_grid]]) { os_log_default.log(\"%u\", i); }",
          "kernel void k(uint i [[thread_position_in_grid]]) {\n"
          "  threadgroup_barrier(mem_flags::mem_none);\n  os_log_default.log(\"%u\", i);\n}"}) {
      Log log;
      const auto queue = queue_that_logs_to(log.state());
      run([queue.get() commandBuffer], pipeline(body).get(), 1000, 100);
      std::set<std::string> seen;
      for (const Message &message : log.messages())
        seen.insert(message.text);
      EXPECT_EQ(seen.size(), 1000u);
      EXPECT_EQ(log.messages().size(), 1000u);
      EXPECT_TRUE(seen.count("999"));
    }
  }
}

TEST(Log, OfTheCommandBufferComesBeforeThatOfTheQueue) {
  @autoreleasepool {
    Log of_queue, of_buffer(MTLLogLevelError);
    const auto queue = queue_that_logs_to(of_queue.state());
    MTLCommandBufferDescriptor *descriptor =
        [[[MTLCommandBufferDescriptor alloc] init] autorelease];
    [descriptor setLogState:of_buffer.state()];
    const auto kernel = pipeline("kernel void k() {\n  os_log_default.log(\"low\");\n"
                                 "  os_log_default.log_error(\"high\");\n}");
    run([queue.get() commandBufferWithDescriptor:descriptor], kernel.get(), 1);
    EXPECT_TRUE(of_queue.messages().empty());
    ASSERT_EQ(of_buffer.messages().size(), 1u); // the other is below its level
    EXPECT_EQ(of_buffer.messages()[0].text, "high");
    run([queue.get() commandBuffer], kernel.get(), 1);
    EXPECT_EQ(of_queue.messages().size(), 2u);
  }
}

TEST(Log, CountsWhatDidNotFit) {
  @autoreleasepool {
    Log log(MTLLogLevelDebug, 1024);
    const auto queue = queue_that_logs_to(log.state());
    const auto kernel = pipeline("kernel void k(uint i [[thread_position_in_grid]]) {\n"
                                 "  os_log_default.log(\"%064u\", i);\n}");
    run([queue.get() commandBuffer], kernel.get(), 100);
    std::vector<Message> messages = log.messages();
    ASSERT_EQ(messages.size(), 17u); // 16 of 64 bytes, and the one that says so
    EXPECT_EQ(messages.back().text, "84 messages were dropped: the log buffer was full.");
    EXPECT_EQ(messages.back().level, MTLLogLevelError);
    // There is room again.
    run([queue.get() commandBuffer], kernel.get(), 3);
    EXPECT_EQ(log.messages().size(), 20u);
  }
}

TEST(Log, NothingIsLoggedUnlessTheLibraryAllowsIt) {
  @autoreleasepool {
    Log log;
    const auto queue = queue_that_logs_to(log.state());
    const char *body = "kernel void k() { os_log_default.log(\"here\"); }";
    run([queue.get() commandBuffer], pipeline(body, false).get(), 4);
    EXPECT_TRUE(log.messages().empty());
    run([queue.get() commandBuffer], pipeline(body, true).get(), 1);
    EXPECT_EQ(log.messages().size(), 1u);
    // And nowhere to log to is no mistake.
    const auto silent = Retained<id<MTLCommandQueue>>::adopt([device() newCommandQueue]);
    run([silent.get() commandBuffer], pipeline(body, true).get(), 1);
  }
}

TEST(Log, WithoutAHandlerGoesToStandardError) {
  @autoreleasepool {
    MTLLogStateDescriptor *descriptor = [[[MTLLogStateDescriptor alloc] init] autorelease];
    const auto state = LogStatePointer::adopt([device() newLogStateWithDescriptor:descriptor
                                                                            error:nullptr]);
    const auto queue = queue_that_logs_to(state.get());
    const auto kernel = pipeline("constant os_log logger(\"a\", \"b\");\nkernel void k() {\n"
                                 "  os_log_default.log(\"one\");\n  logger.log(\"two\");\n}");
    testing::internal::CaptureStderr();
    run([queue.get() commandBuffer], kernel.get(), 1);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "one\n[a:b] two\n");
  }
}

TEST(Log, TheEnvironmentTurnsItOn) {
  @autoreleasepool {
    const auto kernel = pipeline("kernel void k() {\n  os_log_default.log_debug(\"low\");\n"
                                 "  os_log_default.log_error(\"high\");\n}");
    setenv("MTL_LOG_LEVEL", "MTLLogLevelError", 1);
    const auto queue = Retained<id<MTLCommandQueue>>::adopt([device() newCommandQueue]);
    unsetenv("MTL_LOG_LEVEL");
    testing::internal::CaptureStderr();
    run([queue.get() commandBuffer], kernel.get(), 1);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "high\n");
  }
}

TEST(Log, DescriptorsAreCopiedAndChecked) {
  @autoreleasepool {
    MTLLogStateDescriptor *descriptor = [[[MTLLogStateDescriptor alloc] init] autorelease];
    EXPECT_EQ([descriptor level], MTLLogLevelDebug);
    [descriptor setLevel:MTLLogLevelFault];
    [descriptor setBufferSize:2048];
    MTLLogStateDescriptor *copy = [[descriptor copy] autorelease];
    EXPECT_EQ([copy level], MTLLogLevelFault);
    EXPECT_EQ([copy bufferSize], 2048);
    for (const NSInteger size : {NSInteger{-1}, NSInteger{1023}, (NSInteger{1} << 30) + 1}) {
      [descriptor setBufferSize:size];
      NSError *error = nil;
      EXPECT_FALSE(LogStatePointer::adopt([device() newLogStateWithDescriptor:descriptor
                                                                        error:&error]));
      EXPECT_EQ(text([error domain]), text(MTLLogStateErrorDomain));
      EXPECT_EQ([error code], NSInteger { MTLLogStateErrorInvalidSize });
      EXPECT_EQ(message(error), "The buffer size of a log state (" + std::to_string(size) +
                                    " bytes) must be from 1024 to 1073741824.");
    }
  }
}

} // namespace
