/* What compiled kernel code and an executor agree on. Plain C: the lowering builds these layouts in
   LLVM IR, and images in the disk cache carry HM_ABI_VERSION. Change a layout: raise the version.
 */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HM_ABI_VERSION 4u
#define HM_SIMD_WIDTH 32u
#define HM_MAX_THREADS_PER_THREADGROUP 1024u
#define HM_MAX_THREADGROUP_MEMORY 32768u
/* Largest frame of a recursive function. Below HmThreadHead.stack_limit there are that many bytes,
   and what the executor's and the C library's functions need. */
#define HM_MAX_RECURSIVE_FRAME 8192u
/* Largest operand of one simdgroup operation: a vector of four 64-bit values. */
#define HM_SIMD_VALUE_BYTES 32u
/* Levels of the largest texture, 16384 pixels wide. */
#define HM_MAX_TEXTURE_LEVELS 15u

typedef struct HmThread HmThread; /* begins with HmThreadHead; the rest is the executor's */
typedef struct HmRuntime HmRuntime;
typedef struct HmLog HmLog; /* where the messages of one dispatch go; the executor's */

/* One dispatch, shared by its threadgroups. Immutable while it runs. */
typedef struct HmGrid {
  /* [slot of the argument in its kernel's reflection]: the address of the bound bytes; for a
     threadgroup argument its byte offset in HmGroup.threadgroup_memory, as a pointer; for a texture
     the address of its HmTexture, null where none is bound; for a sampler its word
     (HM_SAMPLER_…), as a pointer; for an array of these the address of as many of them. */
  void *const *arguments;
  /* [slot]: bytes from that address to the end of the bound buffer; 0 for other arguments. */
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
  const uint8_t *stack_limit; /* a recursive function whose frame ends below it overflows */
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

/* How a texture's pixels lie in memory. */
typedef struct HmTexelFormat {
  uint8_t kind;       /* hostmetal::image::TexelKind */
  uint8_t components; /* that are there, from the first on */
  uint8_t bits;       /* of one component; 0 where they differ */
  uint8_t bytes;      /* of one pixel */
} HmTexelFormat;

/* One mip level. Its images are the slices of an array, the faces of a cube (six per slice) or the
   depth of a 3D texture. */
typedef struct HmTextureLevel {
  uint8_t *pixels;
  uint64_t bytes_per_row;
  uint64_t bytes_per_image;
  uint32_t width;
  uint32_t height;
  uint32_t images;
  uint32_t reserved;
} HmTextureLevel;

/* A texture. Immutable, but for the pixels. */
typedef struct HmTexture {
  HmTexelFormat format;
  uint32_t level_count; /* at least 1 */
  HmTextureLevel levels[HM_MAX_TEXTURE_LEVELS];
} HmTexture;

/* A sampler is a word of 64 bits; these are the places of its fields, whose values are those of
   Metal's enumerations. metal_sampler, which constexpr samplers are made with, knows them too. */
#define HM_SAMPLER_MIN_FILTER 0      /* 1 bit: MTLSamplerMinMagFilter */
#define HM_SAMPLER_MAG_FILTER 1      /* 1 bit */
#define HM_SAMPLER_MIP_FILTER 2      /* 2 bits: MTLSamplerMipFilter */
#define HM_SAMPLER_S_ADDRESS 4       /* 3 bits: MTLSamplerAddressMode */
#define HM_SAMPLER_T_ADDRESS 7       /* 3 bits */
#define HM_SAMPLER_R_ADDRESS 10      /* 3 bits */
#define HM_SAMPLER_PIXEL_COORD 13    /* 1 bit: coordinates are not normalised */
#define HM_SAMPLER_BORDER_COLOR 14   /* 2 bits: MTLSamplerBorderColor */
#define HM_SAMPLER_COMPARE 16        /* 3 bits: MTLCompareFunction */
#define HM_SAMPLER_MAX_ANISOTROPY 19 /* 4 bits: less 1 */
#define HM_SAMPLER_PRESENT 23        /* 1 bit, set: no sampler is a null pointer */
#define HM_SAMPLER_LOD_MIN 32        /* 16 bits: half */
#define HM_SAMPLER_LOD_MAX 48        /* 16 bits: half */

/* What a lookup finds: filtered texels, four texels around a coordinate, or the level of detail. */
enum {
  HM_LOOKUP_SAMPLE,
  HM_LOOKUP_SAMPLE_COMPARE,
  HM_LOOKUP_GATHER,
  HM_LOOKUP_GATHER_COMPARE,
  HM_LOOKUP_GRADIENT_LEVEL
};

/* One use of a sampler. */
typedef struct HmTextureLookup {
  uint32_t operation; /* HM_LOOKUP_… */
  uint32_t shape;     /* 1, 2, 3: the number of coordinates; 4: a direction in a cube */
  uint32_t slice;     /* of an array */
  uint32_t component; /* to gather */
  float coordinate[4];
  int32_t offset[4]; /* in texels */
  float level;
  float least_level;
  float reference; /* to compare with */
  uint32_t reserved;
  float dx[4], dy[4]; /* from pixel to pixel: of a gradient */
} HmTextureLookup;

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
  /* A pixel of an HmTexelFormat, whose bytes are those of `format`, as a kernel's four components.
   */
  void (*load_texel)(uint32_t format, const uint8_t *from, uint32_t *components);
  void (*store_texel)(uint32_t format, uint8_t *to, const uint32_t *components);
  /* `sampler` is its word (HM_SAMPLER_…); the level is the first of the results. */
  void (*look_up_texture)(const HmTexture *texture, uint64_t sampler, const HmTextureLookup *lookup,
                          uint32_t *results);
  /* Ends the thread, and in the end the command with an error. Does not return. */
  void (*stack_overflow)(HmThread *thread);
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
