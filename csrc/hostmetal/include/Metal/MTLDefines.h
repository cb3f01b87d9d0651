#pragma once

#include <hostmetal/foundation.h>

// The classes show their instance variables, which Apple's hide: GCC's Objective-C runtime lays
// objects out at compile time. They are private all the same.

#define MTL_EXPORT __attribute__((visibility("default")))
#ifdef __cplusplus
#define MTL_EXTERN extern "C" MTL_EXPORT
#else
#define MTL_EXTERN extern MTL_EXPORT
#endif
#define MTL_INLINE static inline __attribute__((always_inline, unused))
