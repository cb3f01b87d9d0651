#include "hostmetal/image/host_symbols.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace hostmetal::image {
namespace {

TEST(HostSymbols, CommonFunctionsNeedNoLibrary) {
  for (const char *name : {"memcpy", "memmove", "memset", "fmaf"}) {
    std::string error;
    EXPECT_NE(host_symbol(name, {}, error), nullptr) << name;
    EXPECT_EQ(error, "") << name;
  }
  std::string error;
  const auto fma = reinterpret_cast<float (*)(float, float, float)>(host_symbol("fmaf", {}, error));
  EXPECT_EQ(fma(3.0f, 5.0f, 7.0f), 22.0f);
}

TEST(HostSymbols, OthersComeFromTheLibrariesThatAreNamed) {
  const std::vector<std::string> libraries = {"libc.so.6", "libm.so.6"};
  std::string error;
  const auto sine = reinterpret_cast<float (*)(float)>(host_symbol("sinf", libraries, error));
  ASSERT_TRUE(sine) << error;
  EXPECT_EQ(sine(0.5f), std::sin(0.5f));
  EXPECT_EQ(host_symbol("sinf", {}, error), nullptr);
  EXPECT_EQ(error, "the system's libraries lack \"sinf\", which its code calls.");
}

} // namespace
} // namespace hostmetal::image
