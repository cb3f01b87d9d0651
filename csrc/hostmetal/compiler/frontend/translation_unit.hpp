/// Parses one MSL source and makes unoptimised LLVM IR of it.
#pragma once

#include "hostmetal/compiler/frontend/frontend.hpp"

namespace hostmetal::frontend {

/// The body of compile_source, on whatever thread calls it; a crash in it is the caller's to catch.
SourceResult compile_translation_unit(const SourceRequest &request, std::string_view precompiled);

} // namespace hostmetal::frontend
