/// Class types that hold a type twice or more among their template arguments, level upon level:
/// `using T1 = P<T0, T0>; using T2 = P<T1, T1>; …`. Written out, the last one is longer than any
/// memory, and clang goes through all of it when it looks for a function by its arguments, or names
/// the type in a message. So there is a limit to such types, where clang makes them.
#pragma once

namespace hostmetal::frontend {

/// What is known of the types of one compile, which is the only one on its thread: the last one may
/// have been broken off.
class TypeSizes {
public:
  TypeSizes();
  ~TypeSizes();
  TypeSizes(const TypeSizes &) = delete;
  TypeSizes &operator=(const TypeSizes &) = delete;
};

} // namespace hostmetal::frontend
