// What LLVM's InitializeAll functions call for the targets that are not linked.
#define ABSENT(target)                                                                             \
  void LLVMInitialize##target##Target(void) {}                                                     \
  void LLVMInitialize##target##TargetInfo(void) {}                                                 \
  void LLVMInitialize##target##TargetMC(void) {}                                                   \
  void LLVMInitialize##target##AsmPrinter(void) {}                                                 \
  void LLVMInitialize##target##AsmParser(void) {}

ABSENT_TARGETS
