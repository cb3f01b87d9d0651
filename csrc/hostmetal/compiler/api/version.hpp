#pragma once

namespace hostmetal::api {

/// Names this build of the compiler and the LLVM that it runs on: any change to what it generates
/// changes it.
const char *version();

} // namespace hostmetal::api
