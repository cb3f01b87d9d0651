#pragma once

#import <Metal/MTLDefines.h>

NS_ASSUME_NONNULL_BEGIN

@protocol MTLBuffer;
@protocol MTLDevice;
@protocol MTLVisibleFunctionTable;

/// Writes resources and values into an argument buffer, by the indices that [[id(n)]] gives them.
@protocol MTLArgumentEncoder <NSObject>

@property (readonly) id<MTLDevice> device;
@property (nullable, copy, atomic) NSString *label;
/// Bytes of one argument buffer.
@property (readonly) NSUInteger encodedLength;
/// Bytes that the offset of an argument buffer is a multiple of.
@property (readonly) NSUInteger alignment;

/// Where the following calls write; nil for nowhere.
- (void)setArgumentBuffer:(nullable id<MTLBuffer>)argumentBuffer offset:(NSUInteger)offset;
/// Where one element of an array of argument buffers lies.
- (void)setArgumentBuffer:(nullable id<MTLBuffer>)argumentBuffer
              startOffset:(NSUInteger)startOffset
             arrayElement:(NSUInteger)arrayElement;

- (void)setBuffer:(nullable id<MTLBuffer>)buffer
           offset:(NSUInteger)offset
          atIndex:(NSUInteger)index;
- (void)setBuffers:(const id<MTLBuffer> _Nullable[_Nonnull])buffers
           offsets:(const NSUInteger[_Nonnull])offsets
         withRange:(NSRange)range;
- (void)setVisibleFunctionTable:(nullable id<MTLVisibleFunctionTable>)visibleFunctionTable
                        atIndex:(NSUInteger)index;
- (void)setVisibleFunctionTables:
            (const id<MTLVisibleFunctionTable> _Nullable[_Nonnull])visibleFunctionTables
                       withRange:(NSRange)range;
/// The bytes of a value, to be written by the caller.
- (void *)constantDataAtIndex:(NSUInteger)index;

/// An encoder of what the pointer at `index` leads to, +1; nil if that is no argument buffer.
- (nullable id<MTLArgumentEncoder>)newArgumentEncoderForBufferAtIndex:(NSUInteger)index;

@end

NS_ASSUME_NONNULL_END
