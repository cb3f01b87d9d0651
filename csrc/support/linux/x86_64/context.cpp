// System V ABI: rbx, rbp, r12 to r15 and the stack pointer survive a call.
#include "support/linux/context.hpp"

#include <cstdint>

namespace metalcore {

// `ret` rather than a jump: fibers mostly wait at the same place, so the return predictor is right.
__attribute__((naked)) void switch_context(StackContext *, StackContext) {
  __asm__("pushq %rbp\n\t"
          "pushq %rbx\n\t"
          "pushq %r12\n\t"
          "pushq %r13\n\t"
          "pushq %r14\n\t"
          "pushq %r15\n\t"
          "movq %rsp, (%rdi)\n\t"
          "movq %rsi, %rsp\n\t"
          "popq %r15\n\t"
          "popq %r14\n\t"
          "popq %r13\n\t"
          "popq %r12\n\t"
          "popq %rbx\n\t"
          "popq %rbp\n\t"
          "retq");
}

// Where a new context starts: the argument is in r12, the function in r13.
__attribute__((naked)) void start_context() {
  __asm__("xorl %ebp, %ebp\n\t"
          "movq %r12, %rdi\n\t"
          "callq *%r13\n\t"
          "ud2");
}

StackContext make_context(std::byte *top, void (*entry)(void *), void *argument) {
  // As switch_context leaves a stack; after its `ret` the pointer is 16-byte aligned.
  auto *stack = reinterpret_cast<uintptr_t *>(top) - 9;
  stack[0] = 0;                                          // r15
  stack[1] = 0;                                          // r14
  stack[2] = reinterpret_cast<uintptr_t>(entry);         // r13
  stack[3] = reinterpret_cast<uintptr_t>(argument);      // r12
  stack[4] = 0;                                          // rbx
  stack[5] = 0;                                          // rbp
  stack[6] = reinterpret_cast<uintptr_t>(start_context); // the address to return to
  stack[7] = 0; // the pointer after `ret`: a debugger's walk ends here
  stack[8] = 0;
  return stack;
}

void relax() {
  __builtin_ia32_pause();
}

} // namespace metalcore
