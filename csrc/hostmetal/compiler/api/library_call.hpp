#pragma once

#include "hostmetal/compiler/compiler.h"

namespace hostmetal::api {

/// HmCompiler.compile_library.
HmStatus compile_library(const HmLibraryRequest *request, HmBytes *module, HmBytes *library,
                         HmBytes *diagnostics);

} // namespace hostmetal::api
