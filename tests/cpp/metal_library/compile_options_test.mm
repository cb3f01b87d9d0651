#include "fixture.hpp"

#include <functional>

using namespace metal_library;

namespace {

class CompileOptionsTest : public MetalTest {
protected:
  Retained<MTLCompileOptions *> options_ =
      Retained<MTLCompileOptions *>::adopt([[MTLCompileOptions alloc] init]);

  /// What the compiler was asked.
  std::string request() {
    const LibraryPointer library = compile("kernel k\n", options_.get());
    return text([[library.get() functionNames] objectAtIndex:0]);
  }
};

constexpr unsigned version_3_2 = 3 << 16 | 2;

std::string asked(unsigned language, int math, const std::string &macros = "") {
  return "request file=program_source language=" + std::to_string(language) +
         " math=" + std::to_string(math) + macros;
}

} // namespace

TEST_F(CompileOptionsTest, AreFastUnlessSet) {
  MTLCompileOptions *options = options_.get();
  EXPECT_TRUE([options fastMathEnabled]);
  EXPECT_EQ([options mathMode], MTLMathModeFast);
  EXPECT_EQ([options mathFloatingPointFunctions], MTLMathFloatingPointFunctionsFast);
  EXPECT_EQ([options languageVersion], MTLLanguageVersion3_2);
  EXPECT_EQ([options libraryType], MTLLibraryTypeExecutable);
  EXPECT_EQ([options optimizationLevel], MTLLibraryOptimizationLevelDefault);
  EXPECT_FALSE([options preserveInvariance]);
  EXPECT_EQ([options maxTotalThreadsPerThreadgroup], 0u);
  EXPECT_EQ(request(), asked(version_3_2, 2));
  const LibraryPointer library = compile("kernel k\n");
  EXPECT_EQ(text([[library.get() functionNames] objectAtIndex:0]), asked(version_3_2, 2));
}

TEST_F(CompileOptionsTest, CarryLanguageAndMacros) {
  [options_.get() setLanguageVersion:MTLLanguageVersion2_4];
  [options_.get() setPreprocessorMacros:@{@"WIDTH" : @16, @"KIND" : @"float", @"A" : @""}];
  EXPECT_EQ(request(), asked(2 << 16 | 4, 2, " A= KIND=float WIDTH=16"));
}

TEST_F(CompileOptionsTest, AskForTheMathModeThatHoldsAllPromises) {
  MTLCompileOptions *options = options_.get();
  [options setMathMode:MTLMathModeRelaxed];
  EXPECT_EQ(request(), asked(version_3_2, 1));
  [options setMathMode:MTLMathModeSafe];
  EXPECT_EQ(request(), asked(version_3_2, 0));
  [options setMathMode:MTLMathModeFast];
  [options setMathFloatingPointFunctions:MTLMathFloatingPointFunctionsPrecise];
  EXPECT_EQ(request(), asked(version_3_2, 0));
}

TEST_F(CompileOptionsTest, TakeFastMathForAMathMode) {
  MTLCompileOptions *options = options_.get();
  [options setFastMathEnabled:NO];
  EXPECT_FALSE([options fastMathEnabled]);
  EXPECT_EQ([options mathMode], MTLMathModeSafe);
  EXPECT_EQ([options mathFloatingPointFunctions], MTLMathFloatingPointFunctionsPrecise);
  [options setFastMathEnabled:YES];
  EXPECT_TRUE([options fastMathEnabled]);
  EXPECT_EQ([options mathMode], MTLMathModeFast);
  EXPECT_EQ([options mathFloatingPointFunctions], MTLMathFloatingPointFunctionsFast);
}

TEST_F(CompileOptionsTest, CopyEverything) {
  MTLCompileOptions *options = options_.get();
  [options setPreprocessorMacros:@{@"A" : @1}];
  [options setMathMode:MTLMathModeRelaxed];
  [options setMathFloatingPointFunctions:MTLMathFloatingPointFunctionsPrecise];
  [options setLanguageVersion:MTLLanguageVersion3_0];
  [options setLibraryType:MTLLibraryTypeDynamic];
  [options setInstallName:@"name"];
  [options setPreserveInvariance:YES];
  [options setOptimizationLevel:MTLLibraryOptimizationLevelSize];
  [options setMaxTotalThreadsPerThreadgroup:64];
  MTLCompileOptions *copy = [[options copy] autorelease];
  [options setPreprocessorMacros:nil];
  EXPECT_EQ([[copy preprocessorMacros] count], 1u);
  EXPECT_EQ([copy mathMode], MTLMathModeRelaxed);
  EXPECT_EQ([copy mathFloatingPointFunctions], MTLMathFloatingPointFunctionsPrecise);
  EXPECT_EQ([copy languageVersion], MTLLanguageVersion3_0);
  EXPECT_EQ([copy libraryType], MTLLibraryTypeDynamic);
  EXPECT_EQ(text([copy installName]), "name");
  EXPECT_TRUE([copy preserveInvariance]);
  EXPECT_EQ([copy optimizationLevel], MTLLibraryOptimizationLevelSize);
  EXPECT_EQ([copy maxTotalThreadsPerThreadgroup], 64u);
}

TEST_F(CompileOptionsTest, AreRefusedWhereTheyCannotBeFollowed) {
  struct Case {
    std::function<void(MTLCompileOptions *)> set;
    std::string message;
  };
  const std::vector<Case> cases = {
      {[](MTLCompileOptions *options) { [options setLibraryType:MTLLibraryTypeDynamic]; },
       "Dynamic libraries are not supported."},
      {[](MTLCompileOptions *options) { [options setMathMode:static_cast<MTLMathMode>(7)]; },
       "Math mode 7 is not one of MTLMathMode."},
      {[](MTLCompileOptions *options) {
         [options setPreprocessorMacros:@{@"A" : @[ @1 ]}];
       },
       "The value of a preprocessor macro is of class "},
  };
  for (const Case &each : cases) {
    MTLCompileOptions *options = [[[MTLCompileOptions alloc] init] autorelease];
    each.set(options);
    NSError *error = nil;
    EXPECT_EQ([device() newLibraryWithSource:@"kernel k" options:options error:&error], nil);
    EXPECT_EQ([error code], MTLLibraryErrorUnsupported);
    EXPECT_EQ(message(error).find(each.message), 0u) << message(error);
  }
}
