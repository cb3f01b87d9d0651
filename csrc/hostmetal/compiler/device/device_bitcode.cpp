#include "hostmetal/compiler/device/device_bitcode.hpp"

// HOSTMETAL_DEVICE_BITCODE is the file's path.
__asm__(".section .rodata\n"
        ".balign 16\n"
        ".globl hm_device_bitcode\n"
        ".hidden hm_device_bitcode\n"
        "hm_device_bitcode:\n"
        ".incbin \"" HOSTMETAL_DEVICE_BITCODE "\"\n"
        ".globl hm_device_bitcode_end\n"
        ".hidden hm_device_bitcode_end\n"
        "hm_device_bitcode_end:\n"
        ".previous\n");

extern "C" {
extern const char hm_device_bitcode[] __attribute__((visibility("hidden")));
extern const char hm_device_bitcode_end[] __attribute__((visibility("hidden")));
}

namespace hostmetal::device {

llvm::StringRef bitcode() {
  return {hm_device_bitcode, static_cast<size_t>(hm_device_bitcode_end - hm_device_bitcode)};
}

} // namespace hostmetal::device
