/* What compiled kernel code and an executor agree on. Plain C: the lowering builds these layouts in
   LLVM IR, and images in the disk cache carry HM_ABI_VERSION. Change a layout: raise the version.
 */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HM_ABI_VERSION 3u
#define HM_SIMD_WIDTH 32u
#define HM_MAX_THREADS_PER_THREADGROUP 1024u
#define HM_MAX_THREADGROUP_MEMORY 32768u
/* Largest operand of one simdgroup operation: a vector of four 64-bit values. */
#define HM_SIMD_VALUE_BYTES 32u

typedef struct HmThread HmThread; /* begins with HmThreadHead; the rest is the executor's */
typedef struct HmRuntime HmRuntime;
typedef struct HmLog HmLog; /* where the messages of one dispatch go; the executor's */

/* One dispatch, shared by its threadgroups. Immutable while it runs. */
typedef struct HmGrid {
  /* [slot of the argument in its kernel's reflection]: the address of the bound bytes; for a
     threadgroup argument its byte offset in HmGroup.threadgroup_memory, as a pointer. */
  void *const *arguments;
  /* [slot]: bytes from that address to the end of the bound buffer; 0 for threadgroup arguments. */
  const uint64_t *argument_sizes;
  const HmRuntime *runtime;
  HmLog *log; /* NULL: messages are dropped */
  uint32_t threads_per_grid[3];
  uint32_t threadgroups_per_grid[3];
  uint32_t threads_per_threadgroup[3]; /* as dispatched; groups at the edge may be smaller */
  uint32_t reserved;
} HmGrid;

/* One threadgroup. A group of a kernel that ignores its threadgroup ids (Kernel::regroupable) may
   stand for many: `size` is then not limited to 1024 threads, and `origin` is what counts. */
typedef struct HmGroup {
  const HmGrid *grid;
  uint8_t *threadgroup_memory; /* 64-byte aligned; static variables first, then dynamic arguments */
  uint32_t origin[3];          /* thread_position_in_grid of its first thread */
  uint32_t position[3];        /* threadgroup_position_in_grid */
  uint32_t size[3];            /* threads in this group: threads_per_threadgroup of MSL */
  uint32_t reserved;
} HmGroup;

/* The part of a thread that kernel code reads. */
typedef struct HmThreadHead {
  uint32_t position[3]; /* thread_position_in_threadgroup */
  uint32_t index;       /* thread_index_in_threadgroup; lane = index % 32, simdgroup = index / 32 */
} HmThreadHead;

/* What simd_exchange hands back to each lane: valid until the lane's next call of the runtime. */
typedef struct HmSimdFrame {
  _Alignas(
      32) uint8_t values[HM_SIMD_WIDTH][HM_SIMD_VALUE_BYTES]; /* only active lanes' are defined */
  uint32_t active; /* bit n: lane n takes part in this operation */
  uint32_t reserved[7];
} HmSimdFrame;

/* What a visible_function_table argument points to. A place holds 0 or the number that stands for a
   function in the kernel's code. */
typedef struct HmFunctionTable {
  uint64_t count;
  uint64_t functions[1]; /* `count` of them */
} HmFunctionTable;

/* Calls from kernel code into the executor. Compiled code reaches them through HmGrid.runtime only,
   so an image has no undefined symbol but the C library's. */
struct HmRuntime {
  uint32_t abi_version;
  uint32_t reserved;
  /* Returns when every thread of the threadgroup that has not returned has called it. */
  void (*threadgroup_barrier)(HmThread *thread);
  /* Lanes of one simdgroup that are at the same `site` publish `size` bytes and see each other's.
     Sites are ordered: of several sites at which lanes of a simdgroup wait, the lowest goes first.
     Also the simdgroup barrier (size 0). */
  const HmSimdFrame *(*simd_exchange)(HmThread *thread, uint64_t site, const void *value,
                                      uint32_t size);
  /* A message of the kernel's, as air.os_log takes it: `type` is an os_log_type, `format` that of
     printf, `arguments` what C passes to a function of any number of arguments, one after the
     other, each aligned to its size. The texts are read before it returns. */
  void (*log)(HmLog *log, const char *subsystem, const char *category, uint32_t type,
              const char *format, const void *arguments, uint64_t size);
};

/* Runs one row of a group's threads, those whose thread_position_in_threadgroup is (0, y, z), (1,
   y, z), …, in any order or interleaved: kernels without synchronisation. */
typedef void (*HmRowFunction)(const HmGroup *group, uint32_t y, uint32_t z);
/* Runs one thread on its own fiber: kernels with barriers or simdgroup operations. */
typedef void (*HmThreadFunction)(const HmGroup *group, HmThread *thread);

/* Exactly one of the two is set. */
typedef struct HmKernelCode {
  HmRowFunction row;
  HmThreadFunction thread;
} HmKernelCode;

/* One kernel in a linked image. */
typedef struct HmImageKernel {
  const char *name;          /* zero-terminated */
  const uint8_t *reflection; /* hostmetal::image::Kernel, serialised */
  uint64_t reflection_size;
  HmKernelCode code;
} HmImageKernel;

/* The one exported symbol of a linked image (an ELF shared object). */
#define HM_IMAGE_SYMBOL "hostmetal_image"
typedef struct HmImage {
  uint32_t abi_version;
  uint32_t kernel_count;
  const HmImageKernel *kernels; /* sorted by name */
} HmImage;

#ifdef __cplusplus
}
#endif
