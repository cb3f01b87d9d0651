// The end and the forks of a process that compiles.
#include "fixture.hpp"

#include "support/child.hpp"

#include <cstdlib>
#include <thread>

using namespace metal_library;

namespace {

class ProcessTest : public MetalTest {};

void compile_in_background(NSString *source) {
  [device() newLibraryWithSource:source
                         options:nil
               completionHandler:^(id<MTLLibrary>, NSError *){
               }];
}

/// Returns when a call is inside of the compiler.
void wait_for_call() {
  while (fake_count("fake_compiler_users") == 0)
    std::this_thread::yield();
}

/// 0 when the process can compile and no call of another is left in it.
int check_compiler() {
  @autoreleasepool {
    if (fake_count("fake_compiler_users") != 0)
      return 2;
    NSError *error = nil;
    const auto library = LibraryPointer::adopt([device() newLibraryWithSource:@"kernel k\n"
                                                                      options:nil
                                                                        error:&error]);
    return library ? 0 : 3;
  }
}

} // namespace

TEST_F(ProcessTest, ExitsInTheMiddleOfACompile) {
  compile("kernel k\n");
  const int code = metalcore::test::exit_code_of_child([] {
    compile_in_background(@"sleep 300\nkernel k\n");
    wait_for_call();
    std::exit(0);
    return 1;
  });
  EXPECT_EQ(code, 0);
}

TEST_F(ProcessTest, CompilesInAChildForkedInTheMiddleOfACompile) {
  compile("kernel k\n");
  for (int attempt = 0; attempt < 3; ++attempt) {
    compile_in_background(@"sleep 100\nkernel k\n");
    wait_for_call();
    EXPECT_EQ(metalcore::test::exit_code_of_child(check_compiler), 0);
  }
}

TEST_F(ProcessTest, AnswersInTheBackgroundOfAChild) {
  compile_in_background(@"kernel k\n");
  EXPECT_EQ(metalcore::test::exit_code_of_child([] {
              dispatch_queue_t queue = dispatch_queue_create("child", DISPATCH_QUEUE_SERIAL);
              dispatch_async(queue, ^{
                [device() newLibraryWithSource:@"kernel k\n"
                                       options:nil
                             completionHandler:^(id<MTLLibrary> library, NSError *) {
                               _exit(library ? 0 : 4);
                             }];
              });
              std::this_thread::sleep_for(std::chrono::seconds(30));
              return 5;
            }),
            0);
}

TEST_F(ProcessTest, RefusesHandlersThatAreNil) {
  const LibraryPointer library = compile("kernel k\n");
  const FunctionPointer k = function(library, "k");
  MTLNewLibraryCompletionHandler no_library_handler = nil;
  MTLNewComputePipelineStateCompletionHandler no_pipeline_handler = nil;
  EXPECT_ANY_THROW([device() newLibraryWithSource:@"kernel k\n"
                                          options:nil
                                completionHandler:no_library_handler]);
  EXPECT_ANY_THROW([device() newComputePipelineStateWithFunction:k.get()
                                               completionHandler:no_pipeline_handler]);
  dispatch_block_t no_block = nil;
  dispatch_queue_t queue = dispatch_queue_create("test", DISPATCH_QUEUE_SERIAL);
  EXPECT_ANY_THROW(dispatch_async(queue, no_block));
  dispatch_release(queue);
}
