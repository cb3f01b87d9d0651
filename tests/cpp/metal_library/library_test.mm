#include "fixture.hpp"

#include <future>
#include <thread>

using namespace metal_library;

namespace {

class LibraryTest : public MetalTest {};

struct Answer {
  LibraryPointer library;
  Retained<NSError *> error;
  std::thread::id thread;
};

/// What newLibraryWithSource:options:completionHandler: answers.
Answer compile_in_background(NSString *source) {
  auto promise = std::make_shared<std::promise<Answer>>();
  [device()
      newLibraryWithSource:source
                   options:nil
         completionHandler:^(id<MTLLibrary> library, NSError *error) {
           promise->set_value({LibraryPointer::retain(library), Retained<NSError *>::retain(error),
                               std::this_thread::get_id()});
         }];
  return promise->get_future().get();
}

} // namespace

TEST_F(LibraryTest, HasTheFunctionsOfItsSource) {
  const LibraryPointer library = compile("kernel first\nkernel second\nvisible third\n");
  const std::vector<std::string> names = texts([library.get() functionNames]);
  EXPECT_EQ(std::vector<std::string>(names.begin() + 1, names.end()),
            (std::vector<std::string>{"first", "second", "third"}));
  EXPECT_EQ([library.get() device], device());
  EXPECT_EQ([library.get() type], MTLLibraryTypeExecutable);
  EXPECT_EQ([library.get() installName], nil);

  const FunctionPointer first = function(library, "first");
  EXPECT_EQ(text([first.get() name]), "first");
  EXPECT_EQ([first.get() functionType], MTLFunctionTypeKernel);
  EXPECT_EQ([first.get() device], device());
  EXPECT_EQ([first.get() options], MTLFunctionOptionNone);
  EXPECT_EQ([function(library, "third").get() functionType], MTLFunctionTypeVisible);
}

TEST_F(LibraryTest, KeepsLabels) {
  const LibraryPointer library = compile("kernel first\n");
  EXPECT_EQ([library.get() label], nil);
  [library.get() setLabel:@"mine"];
  EXPECT_EQ(text([library.get() label]), "mine");
  const FunctionPointer first = function(library, "first");
  [first.get() setLabel:@"number one"];
  EXPECT_EQ(text([first.get() label]), "number one");
}

TEST_F(LibraryTest, ReportsTheCompilersText) {
  NSError *error = nil;
  EXPECT_EQ([device() newLibraryWithSource:@"error in line 1" options:nil error:&error], nil);
  EXPECT_EQ(text([error domain]), "MTLLibraryErrorDomain");
  EXPECT_EQ([error code], MTLLibraryErrorCompileFailure);
  EXPECT_EQ(message(error), "error in line 1");
  EXPECT_EQ([device() newLibraryWithSource:@"error in line 1" options:nil error:nullptr], nil);
}

TEST_F(LibraryTest, ReportsWarningsBesideTheLibrary) {
  NSError *error = nil;
  const auto library =
      LibraryPointer::adopt([device() newLibraryWithSource:@"warning unused\nkernel k\n"
                                                   options:nil
                                                     error:&error]);
  EXPECT_TRUE(library);
  EXPECT_EQ([error code], MTLLibraryErrorCompileWarning) << message(error);
}

TEST_F(LibraryTest, ReportsACompilerThatFails) {
  for (NSString *source in @[ @"crash", @"garbage" ]) {
    NSError *error = nil;
    EXPECT_EQ([device() newLibraryWithSource:source options:nil error:&error], nil);
    EXPECT_EQ([error code], MTLLibraryErrorInternal) << text(source);
    EXPECT_NE(message(error), "") << text(source);
  }
}

TEST_F(LibraryTest, RefusesWhatIsNoSource) {
  NSString *nothing = nil;
  NSError *error = nil;
  EXPECT_EQ([device() newLibraryWithSource:nothing options:nil error:&error], nil);
  EXPECT_EQ(message(error), "A library needs a source, which is nil.");

  NSMutableString *broken = [NSMutableString string];
  [broken appendFormat:@"%C", static_cast<unichar>(0xd800)];
  EXPECT_EQ([device() newLibraryWithSource:broken options:nil error:&error], nil);
  EXPECT_EQ(message(error), "A string holds half a surrogate pair.");
}

TEST_F(LibraryTest, AnswersOnAnotherThread) {
  const Answer good = compile_in_background(@"kernel k\n");
  EXPECT_TRUE(good.library);
  EXPECT_FALSE(good.error);
  EXPECT_NE(good.thread, std::this_thread::get_id());

  const Answer bad = compile_in_background(@"error here");
  EXPECT_FALSE(bad.library);
  EXPECT_EQ(message(bad.error.get()), "error here");
  EXPECT_NE(bad.thread, std::this_thread::get_id());
}

TEST_F(LibraryTest, CompilesOnManyThreads) {
  std::vector<std::thread> threads;
  std::atomic<int> good = 0;
  for (int i = 0; i < 32; ++i)
    threads.emplace_back([&good, i] {
      @autoreleasepool {
        const LibraryPointer library = compile("kernel k" + std::to_string(i % 4) + "\n");
        good += [[library.get() functionNames] count] == 2;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(good, 32);
}

TEST_F(LibraryTest, NamesTheFunctionsItHas) {
  const LibraryPointer library = compile("kernel scale\n");
  EXPECT_EQ([library.get() newFunctionWithName:@"shift"], nil);
  EXPECT_EQ([library.get() newFunctionWithName:@""], nil);
  NSError *error = nil;
  MTLFunctionConstantValues *values = [[[MTLFunctionConstantValues alloc] init] autorelease];
  EXPECT_EQ([library.get() newFunctionWithName:@"shift" constantValues:values error:&error], nil);
  EXPECT_EQ([error code], MTLLibraryErrorFunctionNotFound);
  EXPECT_EQ(message(error).find("The library has no function \"shift\"; it has "), 0u);
  EXPECT_NE(message(error).find("scale"), std::string::npos);
}
