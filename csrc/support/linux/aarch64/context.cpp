// AAPCS64: x19 to x30, the low halves of v8 to v15 and the stack pointer survive a call.
#include "support/linux/context.hpp"

#include <cstdint>

namespace metalcore {

__attribute__((naked)) void switch_context(StackContext *, StackContext) {
  __asm__("sub sp, sp, #160\n\t"
          "stp x19, x20, [sp, #0]\n\t"
          "stp x21, x22, [sp, #16]\n\t"
          "stp x23, x24, [sp, #32]\n\t"
          "stp x25, x26, [sp, #48]\n\t"
          "stp x27, x28, [sp, #64]\n\t"
          "stp x29, x30, [sp, #80]\n\t"
          "stp d8, d9, [sp, #96]\n\t"
          "stp d10, d11, [sp, #112]\n\t"
          "stp d12, d13, [sp, #128]\n\t"
          "stp d14, d15, [sp, #144]\n\t"
          "mov x9, sp\n\t"
          "str x9, [x0]\n\t"
          "mov sp, x1\n\t"
          "ldp x19, x20, [sp, #0]\n\t"
          "ldp x21, x22, [sp, #16]\n\t"
          "ldp x23, x24, [sp, #32]\n\t"
          "ldp x25, x26, [sp, #48]\n\t"
          "ldp x27, x28, [sp, #64]\n\t"
          "ldp x29, x30, [sp, #80]\n\t"
          "ldp d8, d9, [sp, #96]\n\t"
          "ldp d10, d11, [sp, #112]\n\t"
          "ldp d12, d13, [sp, #128]\n\t"
          "ldp d14, d15, [sp, #144]\n\t"
          "add sp, sp, #160\n\t"
          "ret");
}

// Where a new context starts: the argument is in x19, the function in x20.
__attribute__((naked)) void start_context() {
  __asm__("mov x0, x19\n\t"
          "blr x20\n\t"
          "brk #1");
}

StackContext make_context(std::byte *top, void (*entry)(void *), void *argument) {
  auto *stack = reinterpret_cast<uintptr_t *>(top) - 20;
  for (int i = 0; i < 20; ++i)
    stack[i] = 0;
  stack[0] = reinterpret_cast<uintptr_t>(argument);       // x19
  stack[1] = reinterpret_cast<uintptr_t>(entry);          // x20
  stack[11] = reinterpret_cast<uintptr_t>(start_context); // x30
  return stack;
}

void relax() {
  __asm__ volatile("yield");
}

} // namespace metalcore
