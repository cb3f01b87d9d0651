#pragma once

#import <Metal/MTLDefines.h>
#import <Metal/MTLResource.h>
#import <Metal/MTLTypes.h>

NS_ASSUME_NONNULL_BEGIN

@protocol MTLFunctionHandle;

MTL_EXPORT
@interface MTLVisibleFunctionTableDescriptor : NSObject <NSCopying> {
@private
  NSUInteger _functionCount;
}

+ (MTLVisibleFunctionTableDescriptor *)visibleFunctionTableDescriptor;

/// Places in the table.
@property (nonatomic) NSUInteger functionCount;

@end

/// The functions of one pipeline that a kernel calls by index.
@protocol MTLVisibleFunctionTable <MTLResource>

/// What an argument buffer holds to name the table.
@property (readonly) MTLResourceID gpuResourceID;

/// Puts a function of the table's pipeline in a place; nil empties it.
- (void)setFunction:(nullable id<MTLFunctionHandle>)function atIndex:(NSUInteger)index;
- (void)setFunctions:(const id<MTLFunctionHandle> _Nullable[_Nonnull])functions
           withRange:(NSRange)range;

@end

NS_ASSUME_NONNULL_END
