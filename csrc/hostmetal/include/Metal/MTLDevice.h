#pragma once

#import <Metal/MTLArgument.h>
#import <Metal/MTLBuffer.h>
#import <Metal/MTLDefines.h>
#import <Metal/MTLLibrary.h>
#import <Metal/MTLPixelFormat.h>
#import <Metal/MTLResource.h>
#import <Metal/MTLTypes.h>

NS_ASSUME_NONNULL_BEGIN

@class MTLBinaryArchiveDescriptor;
@class MTLCommandQueueDescriptor;
@class MTLCompileOptions;
@class MTLComputePipelineDescriptor;
@class MTLComputePipelineReflection;
@class MTLLogStateDescriptor;
@class MTLSamplerDescriptor;
@class MTLSharedEventHandle;
@class MTLTextureDescriptor;
@protocol MTLArgumentEncoder;
@protocol MTLBinaryArchive;
@protocol MTLCommandQueue;
@protocol MTLComputePipelineState;
@protocol MTLDevice;
@protocol MTLEvent;
@protocol MTLFence;
@protocol MTLLogState;
@protocol MTLSamplerState;
@protocol MTLSharedEvent;
@protocol MTLTexture;

/// The device to use unless the user chose another, +1 for the caller; nil if there is none.
MTL_EXTERN id<MTLDevice> _Nullable MTLCreateSystemDefaultDevice(void) NS_RETURNS_RETAINED;
/// Every device, +1 for the caller.
MTL_EXTERN NSArray<id<MTLDevice>> *MTLCopyAllDevices(void) NS_RETURNS_RETAINED;

/// A set of features.
typedef NS_ENUM(NSInteger, MTLGPUFamily) {
  MTLGPUFamilyApple1 = 1001,
  MTLGPUFamilyApple2 = 1002,
  MTLGPUFamilyApple3 = 1003,
  MTLGPUFamilyApple4 = 1004,
  MTLGPUFamilyApple5 = 1005,
  MTLGPUFamilyApple6 = 1006,
  MTLGPUFamilyApple7 = 1007,
  MTLGPUFamilyApple8 = 1008,
  MTLGPUFamilyApple9 = 1009,
  MTLGPUFamilyApple10 = 1010,
  MTLGPUFamilyMac1 = 2001,
  MTLGPUFamilyMac2 = 2002,
  MTLGPUFamilyCommon1 = 3001,
  MTLGPUFamilyCommon2 = 3002,
  MTLGPUFamilyCommon3 = 3003,
  MTLGPUFamilyMacCatalyst1 = 4001,
  MTLGPUFamilyMacCatalyst2 = 4002,
  MTLGPUFamilyMetal3 = 5001,
  MTLGPUFamilyMetal4 = 5002,
};

typedef NS_ENUM(NSUInteger, MTLDeviceLocation) {
  MTLDeviceLocationBuiltIn = 0,
  MTLDeviceLocationSlot = 1,
  MTLDeviceLocationExternal = 2,
  MTLDeviceLocationUnspecified = NSUIntegerMax,
};

/// What making a pipeline reports and how it fails.
typedef NS_OPTIONS(NSUInteger, MTLPipelineOption) {
  MTLPipelineOptionNone = 0,
  MTLPipelineOptionArgumentInfo = 1 << 0,
  MTLPipelineOptionBindingInfo = 1 << 0,
  MTLPipelineOptionBufferTypeInfo = 1 << 1,
  MTLPipelineOptionFailOnBinaryArchiveMiss = 1 << 2,
};

typedef NS_ENUM(NSUInteger, MTLArgumentBuffersTier) {
  MTLArgumentBuffersTier1 = 0,
  MTLArgumentBuffersTier2 = 1,
};

/// Which textures a kernel may both read and write: all from tier 2 on.
typedef NS_ENUM(NSUInteger, MTLReadWriteTextureTier) {
  MTLReadWriteTextureTierNone = 0,
  MTLReadWriteTextureTier1 = 1,
  MTLReadWriteTextureTier2 = 2,
};

typedef __autoreleasing MTLComputePipelineReflection
    *_Nullable MTLAutoreleasedComputePipelineReflection;

/// Completion handlers run on a thread of Metal's, never on the caller's.
typedef void (^MTLNewLibraryCompletionHandler)(id<MTLLibrary> _Nullable library,
                                               NSError *_Nullable error);
typedef void (^MTLNewComputePipelineStateCompletionHandler)(
    id<MTLComputePipelineState> _Nullable computePipelineState, NSError *_Nullable error);
typedef void (^MTLNewComputePipelineStateWithReflectionCompletionHandler)(
    id<MTLComputePipelineState> _Nullable computePipelineState,
    MTLComputePipelineReflection *_Nullable reflection, NSError *_Nullable error);

/// The kind of processor behind a device.
MTL_EXPORT
@interface MTLArchitecture : NSObject <NSCopying> {
@private
  NSString *_name;
}

@property (nonatomic, readonly) NSString *name;

@end

/// One argument of an argument buffer that no function describes.
MTL_EXPORT
@interface MTLArgumentDescriptor : NSObject <NSCopying> {
@private
  MTLDataType _dataType;
  NSUInteger _index;
  NSUInteger _arrayLength;
  MTLBindingAccess _access;
  NSUInteger _constantBlockAlignment;
}

+ (MTLArgumentDescriptor *)argumentDescriptor;

/// Pointer for buffers, else the type of a value.
@property (nonatomic) MTLDataType dataType;
/// What [[id(n)]] says.
@property (nonatomic) NSUInteger index;
/// Elements of an array; 0 or 1 for one value.
@property (nonatomic) NSUInteger arrayLength;
@property (nonatomic) MTLBindingAccess access;
/// Bytes that the offset of a value is a multiple of; 0 leaves it to the type.
@property (nonatomic) NSUInteger constantBlockAlignment;

@end

/// Makes everything else. Methods whose names begin with "new" return +1; any thread.
@protocol MTLDevice <NSObject>

@property (readonly) NSString *name;
@property (readonly) uint64_t registryID;
@property (readonly) MTLArchitecture *architecture;
@property (readonly) MTLSize maxThreadsPerThreadgroup;
@property (readonly, getter=isLowPower) BOOL lowPower;
@property (readonly, getter=isHeadless) BOOL headless;
@property (readonly, getter=isRemovable) BOOL removable;
@property (readonly) BOOL hasUnifiedMemory;
/// Bytes that fit without slowing the machine down.
@property (readonly) uint64_t recommendedMaxWorkingSetSize;
@property (readonly) MTLDeviceLocation location;
@property (readonly) NSUInteger locationNumber;
@property (readonly) MTLArgumentBuffersTier argumentBuffersSupport;
/// Bytes of all resources that are alive.
@property (readonly) NSUInteger currentAllocatedSize;
/// Bytes.
@property (readonly) NSUInteger maxThreadgroupMemoryLength;
/// Bytes.
@property (readonly) NSUInteger maxBufferLength;

@property (readonly) MTLReadWriteTextureTier readWriteTextureSupport;
@property (readonly) BOOL supports32BitFloatFiltering;

- (BOOL)supportsFamily:(MTLGPUFamily)gpuFamily;

- (nullable id<MTLCommandQueue>)newCommandQueue;
- (nullable id<MTLCommandQueue>)newCommandQueueWithMaxCommandBufferCount:
    (NSUInteger)maxCommandBufferCount;
- (nullable id<MTLCommandQueue>)newCommandQueueWithDescriptor:
    (MTLCommandQueueDescriptor *)descriptor;

/// Where the kernels of a command buffer or a queue log.
- (nullable id<MTLLogState>)newLogStateWithDescriptor:(MTLLogStateDescriptor *)descriptor
                                                error:(NSError **)error;

/// Zeroed memory.
- (nullable id<MTLBuffer>)newBufferWithLength:(NSUInteger)length
                                      options:(MTLResourceOptions)options;
/// A copy of `length` bytes.
- (nullable id<MTLBuffer>)newBufferWithBytes:(const void *)pointer
                                      length:(NSUInteger)length
                                     options:(MTLResourceOptions)options;
/// The caller's own pages: `pointer` and `length` are multiples of the page size. `deallocator`
/// runs when the buffer dies.
- (nullable id<MTLBuffer>)
    newBufferWithBytesNoCopy:(void *)pointer
                      length:(NSUInteger)length
                     options:(MTLResourceOptions)options
                 deallocator:(void (^_Nullable)(void *pointer, NSUInteger length))deallocator;

/// Zeroed pixels.
- (nullable id<MTLTexture>)newTextureWithDescriptor:(MTLTextureDescriptor *)descriptor;
/// Bytes, of the offset and the rows of a texture in a buffer.
- (NSUInteger)minimumLinearTextureAlignmentForPixelFormat:(MTLPixelFormat)format;
- (NSUInteger)minimumTextureBufferAlignmentForPixelFormat:(MTLPixelFormat)format;
- (nullable id<MTLSamplerState>)newSamplerStateWithDescriptor:(MTLSamplerDescriptor *)descriptor;

/// The library that ships with the main program.
- (nullable id<MTLLibrary>)newDefaultLibrary;
- (nullable id<MTLLibrary>)newDefaultLibraryWithBundle:(NSBundle *)bundle error:(NSError **)error;
- (nullable id<MTLLibrary>)newLibraryWithFile:(NSString *)filepath error:(NSError **)error;
- (nullable id<MTLLibrary>)newLibraryWithURL:(NSURL *)url error:(NSError **)error;
/// With warnings only, both a library and an error are returned.
- (nullable id<MTLLibrary>)newLibraryWithSource:(NSString *)source
                                        options:(nullable MTLCompileOptions *)options
                                          error:(NSError **)error;
- (void)newLibraryWithSource:(NSString *)source
                     options:(nullable MTLCompileOptions *)options
           completionHandler:(MTLNewLibraryCompletionHandler)completionHandler;

- (nullable id<MTLComputePipelineState>)newComputePipelineStateWithFunction:
                                            (id<MTLFunction>)computeFunction
                                                                      error:(NSError **)error;
- (nullable id<MTLComputePipelineState>)
    newComputePipelineStateWithFunction:(id<MTLFunction>)computeFunction
                                options:(MTLPipelineOption)options
                             reflection:
                                 (MTLAutoreleasedComputePipelineReflection *_Nullable)reflection
                                  error:(NSError **)error;
- (void)newComputePipelineStateWithFunction:(id<MTLFunction>)computeFunction
                          completionHandler:
                              (MTLNewComputePipelineStateCompletionHandler)completionHandler;
- (void)newComputePipelineStateWithFunction:(id<MTLFunction>)computeFunction
                                    options:(MTLPipelineOption)options
                          completionHandler:
                              (MTLNewComputePipelineStateWithReflectionCompletionHandler)
                                  completionHandler;
- (nullable id<MTLComputePipelineState>)
    newComputePipelineStateWithDescriptor:(MTLComputePipelineDescriptor *)descriptor
                                  options:(MTLPipelineOption)options
                               reflection:
                                   (MTLAutoreleasedComputePipelineReflection *_Nullable)reflection
                                    error:(NSError **)error;
- (void)newComputePipelineStateWithDescriptor:(MTLComputePipelineDescriptor *)descriptor
                                      options:(MTLPipelineOption)options
                            completionHandler:
                                (MTLNewComputePipelineStateWithReflectionCompletionHandler)
                                    completionHandler;

/// An encoder for argument buffers with these arguments; nil for arguments that share an index.
- (nullable id<MTLArgumentEncoder>)newArgumentEncoderWithArguments:
    (NSArray<MTLArgumentDescriptor *> *)arguments;
- (id<MTLArgumentEncoder>)newArgumentEncoderWithBufferBinding:(id<MTLBufferBinding>)bufferBinding;

/// The archive in the descriptor's file, or an empty one.
- (nullable id<MTLBinaryArchive>)newBinaryArchiveWithDescriptor:
                                     (MTLBinaryArchiveDescriptor *)descriptor
                                                          error:(NSError **)error;

- (nullable id<MTLFence>)newFence;
- (nullable id<MTLEvent>)newEvent;
- (nullable id<MTLSharedEvent>)newSharedEvent;
- (nullable id<MTLSharedEvent>)newSharedEventWithHandle:(MTLSharedEventHandle *)sharedEventHandle;

@end

NS_ASSUME_NONNULL_END
