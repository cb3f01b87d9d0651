#pragma once

#import <Metal/MTLDefines.h>

/// A position in a grid.
typedef struct {
  NSUInteger x, y, z;
} MTLOrigin;

/// A size in up to three dimensions; a dimension that is not used is 1.
typedef struct {
  NSUInteger width, height, depth;
} MTLSize;

/// A box within a grid.
typedef struct {
  MTLOrigin origin;
  MTLSize size;
} MTLRegion;

MTL_INLINE MTLOrigin MTLOriginMake(NSUInteger x, NSUInteger y, NSUInteger z) {
  MTLOrigin origin = {x, y, z};
  return origin;
}

MTL_INLINE MTLSize MTLSizeMake(NSUInteger width, NSUInteger height, NSUInteger depth) {
  MTLSize size = {width, height, depth};
  return size;
}

MTL_INLINE MTLRegion MTLRegionMake1D(NSUInteger x, NSUInteger width) {
  MTLRegion region = {{x, 0, 0}, {width, 1, 1}};
  return region;
}

MTL_INLINE MTLRegion MTLRegionMake2D(NSUInteger x, NSUInteger y, NSUInteger width,
                                     NSUInteger height) {
  MTLRegion region = {{x, y, 0}, {width, height, 1}};
  return region;
}

MTL_INLINE MTLRegion MTLRegionMake3D(NSUInteger x, NSUInteger y, NSUInteger z, NSUInteger width,
                                     NSUInteger height, NSUInteger depth) {
  MTLRegion region = {{x, y, z}, {width, height, depth}};
  return region;
}
/// How an argument buffer names a resource.
typedef struct MTLResourceID {
  uint64_t _impl;
} MTLResourceID;
