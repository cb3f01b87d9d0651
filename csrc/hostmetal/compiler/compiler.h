/* The C ABI of libhostmetal-compiler.so. Opened by dlopen on first need: nothing else links LLVM.
   Every call is thread-safe, keeps no state between calls and returns; no C++ exception leaves it.
 */
#pragma once

#include "hostmetal/image/abi.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HM_COMPILER_ABI_VERSION 3u
#define HM_COMPILER_LIBRARY "libhostmetal-compiler.so"
/* const HmCompiler *hostmetal_compiler(void) */
#define HM_COMPILER_SYMBOL "hostmetal_compiler"

/* Bytes that the callee allocated; give them back with HmCompiler.free_bytes. */
typedef struct HmBytes {
  uint8_t *data; /* NULL when size is 0 */
  size_t size;
} HmBytes;

typedef struct HmView {
  const void *data;
  size_t size;
} HmView;

typedef enum HmStatus {
  HM_OK = 0,
  HM_COMPILE_ERROR = 1,  /* the user's source or request is at fault: `diagnostics` says where */
  HM_INTERNAL_ERROR = 2, /* ours, or a crash of the compiler that was caught */
} HmStatus;

typedef enum HmMathMode { HM_MATH_SAFE = 0, HM_MATH_RELAXED = 1, HM_MATH_FAST = 2 } HmMathMode;

typedef struct HmMacro {
  const char *name;
  const char *value; /* NULL: defined as 1 */
} HmMacro;

typedef struct HmLibraryRequest {
  HmView source;
  const char *name; /* as diagnostics call the file; Metal says "program_source" */
  const HmMacro *macros;
  size_t macro_count;
  const char *const *include_paths;
  size_t include_path_count;
  uint32_t language_version; /* MTLLanguageVersion: major << 16 | minor */
  HmMathMode math_mode;
  uint32_t enable_logging; /* 0: the functions of <metal_logging> do nothing */
} HmLibraryRequest;

typedef struct HmConstant {
  uint32_t index;
  uint32_t data_type; /* MTLDataType */
  HmView value;
} HmConstant;

/* A visible function that the kernel may find in a function table, or calls by name. */
typedef struct HmLinkedFunction {
  HmView module; /* AIR-form bitcode from compile_library, of any library */
  const char *function;
  const HmConstant *constants; /* of that library */
  size_t constant_count;
  uint64_t id; /* what HmFunctionTable.functions calls it: not 0, below 2^63 */
} HmLinkedFunction;

typedef struct HmKernelRequest {
  HmView module; /* AIR-form bitcode from compile_library */
  const char *function;
  const HmConstant *constants;
  size_t constant_count;
  const HmLinkedFunction *linked; /* with distinct ids */
  size_t linked_count;
  const char *target; /* "x86-64-v3", … or NULL for the CPU that this process runs on */
} HmKernelRequest;

/* A kernel to be linked into an image: what compile_kernel returned. */
typedef struct HmObject {
  HmView object;
  HmView reflection;
} HmObject;

typedef struct HmLoaded HmLoaded; /* code in executable memory */

typedef struct HmCompiler {
  uint32_t abi_version;
  uint32_t kernel_abi_version; /* HM_ABI_VERSION that it emits code for */
  const char *version;         /* identifies compiler and code generation, for cache keys */

  /* MSL source to AIR-form bitcode and hostmetal::image::Library, serialised. `diagnostics` holds
     warnings on success. All outputs are set on every path. */
  HmStatus (*compile_library)(const HmLibraryRequest *request, HmBytes *module, HmBytes *library,
                              HmBytes *diagnostics);
  /* One kernel, specialised, to a relocatable object and hostmetal::image::Kernel, serialised. The
     object is position independent and byte-stable; its only undefined symbols are the C and math
     library's. */
  HmStatus (*compile_kernel)(const HmKernelRequest *request, HmBytes *object, HmBytes *reflection,
                             HmBytes *diagnostics);
  /* What a kernel of a module takes, without compiling it: hostmetal::image::Kernel, serialised, in
     which every argument is in use and nothing is said of the code. */
  HmStatus (*reflect_kernel)(HmView module, const char *function, HmBytes *reflection,
                             HmBytes *diagnostics);
  /* Places an object in executable memory. */
  HmStatus (*load)(HmView object, HmView reflection, HmLoaded **loaded, HmKernelCode *code,
                   HmBytes *diagnostics);
  void (*unload)(HmLoaded *loaded);
  /* Links kernels (with distinct names) into one ELF shared object that exports HM_IMAGE_SYMBOL. */
  HmStatus (*link_image)(const HmObject *objects, size_t count, HmBytes *image,
                         HmBytes *diagnostics);
  void (*free_bytes)(HmBytes bytes);
  /* Compiles a small kernel for this CPU and throws it away: what the first compile_kernel has to
     set up and to read from the disk is there then. */
  HmStatus (*warm_up)(HmBytes *diagnostics);
} HmCompiler;

typedef const HmCompiler *(*HmCompilerFunction)(void);

#ifdef __cplusplus
}
#endif
