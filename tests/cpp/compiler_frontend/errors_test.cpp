// The form of diagnostics; what is refused and why, tests/msl_errors has.
#include "compiled.hpp"

namespace hostmetal::frontend::test {
namespace {

TEST(Diagnostics, ShowTheSourceLineAndACaret) {
  const SourceResult result = compile("kernel void k(device float *a) {\n  a[0] = bb;\n}\n");
  EXPECT_TRUE(contains(result.diagnostics, "    3 |   a[0] = bb;\n      |          ^"));
}

TEST(Diagnostics, KeepWarningsOfSourcesThatCompile) {
  const SourceResult result =
      compile("kernel void k(device int *a) {\n  if (a[0] = 1) a[1] = 2;\n}\n");
  EXPECT_TRUE(result.ok);
  EXPECT_TRUE(contains(result.diagnostics, "program_source:3:12: warning: "));
}

TEST(Diagnostics, NameTheFileAsTheCallerDoes) {
  SourceRequest request;
  request.name = "shaders/a.metal";
  const SourceResult result = compile("kernel void k() { x; }\n", request);
  EXPECT_TRUE(contains(result.diagnostics, "shaders/a.metal:2:19: error: "));
}

} // namespace
} // namespace hostmetal::frontend::test
