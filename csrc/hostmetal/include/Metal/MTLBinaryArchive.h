#pragma once

#import <Metal/MTLDefines.h>

NS_ASSUME_NONNULL_BEGIN

@class MTLComputePipelineDescriptor;
@protocol MTLDevice;

/// The domain of errors in making, filling and writing binary archives.
MTL_EXTERN NSErrorDomain const MTLBinaryArchiveDomain;

typedef NS_ENUM(NSUInteger, MTLBinaryArchiveError) {
  MTLBinaryArchiveErrorNone = 0,
  MTLBinaryArchiveErrorInvalidFile = 1,
  MTLBinaryArchiveErrorUnexpectedElement = 2,
  MTLBinaryArchiveErrorCompilationFailure = 3,
  MTLBinaryArchiveErrorInternalError = 4,
};

/// How a binary archive is made.
MTL_EXPORT
@interface MTLBinaryArchiveDescriptor : NSObject <NSCopying> {
@private
  NSURL *_url;
}

/// The file to start from; nil for an empty archive.
@property (readwrite, nullable, nonatomic, copy) NSURL *url;

@end

/// Machine code of kernels, for pipelines that are made without compiling. Any thread.
@protocol MTLBinaryArchive <NSObject>

@property (nullable, copy, atomic) NSString *label;
@property (readonly) id<MTLDevice> device;

/// Compiles the kernel of that pipeline unless the archive has it.
- (BOOL)addComputePipelineFunctionsWithDescriptor:(MTLComputePipelineDescriptor *)descriptor
                                            error:(NSError **)error;
/// Writes the archive to a file.
- (BOOL)serializeToURL:(NSURL *)url error:(NSError **)error;

@end

NS_ASSUME_NONNULL_END
