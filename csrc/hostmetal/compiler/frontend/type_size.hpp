/// Class types that hold a type twice or more among their template arguments, level upon level:
/// `using T1 = P<T0, T0>; using T2 = P<T1, T1>; …`. Written out, the last one is longer than any
/// memory, and clang goes through all of it when it looks for a function by its arguments, or names
/// the type in a message. So there is a limit to such types, where clang makes them.
#pragma once

namespace hostmetal::frontend {

/// To be called before a parse: the types of the last one on this thread are no more.
void forget_type_sizes();

} // namespace hostmetal::frontend
