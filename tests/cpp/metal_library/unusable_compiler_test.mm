// Run where the compiler library is missing, or is of another version: EXPECTED_ERROR says which.
#include "fixture.hpp"

#include <hostmetal/compiler.h>

using namespace metal_library;

namespace {

class UnusableCompilerTest : public MetalTest {};

} // namespace

TEST_F(UnusableCompilerTest, IsReportedEachTime) {
  for (int attempt = 0; attempt < 2; ++attempt) {
    NSError *error = nil;
    EXPECT_EQ([device() newLibraryWithSource:@"kernel k\n" options:nil error:&error], nil);
    EXPECT_EQ(text([error domain]), "MTLLibraryErrorDomain");
    EXPECT_EQ([error code], MTLLibraryErrorUnsupported);
    EXPECT_EQ(message(error).find("The MSL compiler " COMPILER_PATH " cannot be used: "), 0u)
        << message(error);
    EXPECT_NE(message(error).find(EXPECTED_ERROR), std::string::npos) << message(error);
  }
}

TEST_F(UnusableCompilerTest, IsNoFaultOfWhoOpensItAheadOfNeed) {
  hostmetal_open_compiler();
  hostmetal_warm_up_compiler();
  NSError *error = nil;
  EXPECT_EQ([device() newLibraryWithSource:@"kernel k\n" options:nil error:&error], nil);
  EXPECT_NE(message(error).find(EXPECTED_ERROR), std::string::npos) << message(error);
}

TEST_F(UnusableCompilerTest, LeavesTheRestOfTheDeviceInOrder) {
  const auto buffer = Retained<id<MTLBuffer>>::adopt([device() newBufferWithLength:64 options:0]);
  EXPECT_TRUE(buffer);
}
