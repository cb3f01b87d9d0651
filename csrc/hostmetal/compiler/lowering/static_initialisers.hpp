#pragma once

#include "hostmetal/compiler/lowering/air_kernel.hpp"

namespace hostmetal::lowering {

/// Makes the library's global constructors, which compute program-scope constants from function
/// constants, the first thing that the kernel does, and records the predicates of its arguments as
/// calls of intrinsic::predicate behind them.
void run_static_initialisers(AirKernel &kernel);

/// Once all is inlined: the variables that those constructors write become variables of the kernel,
/// so that scalar optimisation folds them away.
void privatise_static_variables(AirKernel &kernel);

/// Reads the folded predicates: an argument whose predicate is false is not active. Removes the
/// calls of intrinsic::predicate.
void apply_predicates(AirKernel &kernel);

} // namespace hostmetal::lowering
