#pragma once

#include <cstddef>

namespace metalcore {

/// A suspended flow of control: its stack pointer. What it needs besides lies on its stack.
using StackContext = void *;

/// Saves the caller's callee-saved registers on its stack and the stack pointer in `*from`, and
/// continues `to`. Floating-point control registers are not switched: they belong to the thread.
void switch_context(StackContext *from, StackContext to);

/// A context that calls `entry(argument)` on an empty stack that ends at `top` (16-byte aligned).
/// `entry` may not return.
StackContext make_context(std::byte *top, void (*entry)(void *), void *argument);

/// Tells the CPU that this thread spins.
void relax();

} // namespace metalcore
