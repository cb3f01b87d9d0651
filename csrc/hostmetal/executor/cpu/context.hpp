#pragma once

#include <cstddef>

namespace hostmetal::cpu {

/// A suspended flow of control: its stack pointer. What it needs besides lies on its stack.
using Context = void *;

/// Saves the caller's callee-saved registers on its stack and the stack pointer in `*from`, and
/// continues `to`. Floating-point control registers are not switched: they belong to the thread.
extern "C" void hostmetal_switch_context(Context *from, Context to);

/// A context that calls `entry(argument)` on an empty stack that ends at `top` (16-byte aligned).
/// `entry` may not return.
Context make_context(std::byte *top, void (*entry)(void *), void *argument);

/// Tells the CPU that this thread spins.
void relax();

} // namespace hostmetal::cpu
