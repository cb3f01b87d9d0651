#pragma once

#import <Metal/MTLDefines.h>

NS_ASSUME_NONNULL_BEGIN

@protocol MTLBlitCommandEncoder;
@protocol MTLCommandBuffer;
@protocol MTLCommandQueue;
@protocol MTLComputeCommandEncoder;
@protocol MTLDevice;
@protocol MTLEvent;
@protocol MTLLogState;

/// How far a command buffer has come.
typedef NS_ENUM(NSUInteger, MTLCommandBufferStatus) {
  MTLCommandBufferStatusNotEnqueued = 0,
  MTLCommandBufferStatusEnqueued = 1,
  MTLCommandBufferStatusCommitted = 2,
  MTLCommandBufferStatusScheduled = 3,
  MTLCommandBufferStatusCompleted = 4,
  MTLCommandBufferStatusError = 5,
};

/// The domain of a command buffer's error.
MTL_EXTERN NSErrorDomain const MTLCommandBufferErrorDomain;

typedef NS_ENUM(NSUInteger, MTLCommandBufferError) {
  MTLCommandBufferErrorNone = 0,
  MTLCommandBufferErrorInternal = 1,
  MTLCommandBufferErrorTimeout = 2,
  MTLCommandBufferErrorPageFault = 3,
  MTLCommandBufferErrorBlacklisted = 4,
  MTLCommandBufferErrorAccessRevoked = 4,
  MTLCommandBufferErrorNotPermitted = 7,
  MTLCommandBufferErrorOutOfMemory = 8,
  MTLCommandBufferErrorInvalidResource = 9,
  MTLCommandBufferErrorMemoryless = 10,
  MTLCommandBufferErrorDeviceRemoved = 11,
  MTLCommandBufferErrorStackOverflow = 12,
};

/// The key of an error's array of MTLCommandBufferEncoderInfo.
MTL_EXTERN NSErrorUserInfoKey const MTLCommandBufferEncoderInfoErrorKey;

typedef NS_OPTIONS(NSUInteger, MTLCommandBufferErrorOption) {
  MTLCommandBufferErrorOptionNone = 0,
  MTLCommandBufferErrorOptionEncoderExecutionStatus = 1 << 0,
};

/// What became of one encoder's commands.
typedef NS_ENUM(NSInteger, MTLCommandEncoderErrorState) {
  MTLCommandEncoderErrorStateUnknown = 0,
  MTLCommandEncoderErrorStateCompleted = 1,
  MTLCommandEncoderErrorStateAffected = 2,
  MTLCommandEncoderErrorStatePending = 3,
  MTLCommandEncoderErrorStateFaulted = 4,
};

/// How a command buffer is made.
MTL_EXPORT
@interface MTLCommandBufferDescriptor : NSObject <NSCopying> {
@private
  BOOL _retainedReferences;
  MTLCommandBufferErrorOption _errorOptions;
  id<MTLLogState> _logState;
}

/// YES unless set: the command buffer keeps alive what it uses.
@property (readwrite, nonatomic) BOOL retainedReferences;
@property (readwrite, nonatomic) MTLCommandBufferErrorOption errorOptions;
/// Where kernels log; nil: to the log state of the queue.
@property (readwrite, nonatomic, nullable, retain) id<MTLLogState> logState;

@end

/// One encoder of a command buffer that failed.
@protocol MTLCommandBufferEncoderInfo <NSObject>

@property (readonly, nonatomic) NSString *label;
@property (readonly, nonatomic) NSArray<NSString *> *debugSignposts;
@property (readonly, nonatomic) MTLCommandEncoderErrorState errorState;

@end

typedef void (^MTLCommandBufferHandler)(id<MTLCommandBuffer>);

/// Whether the dispatches of one compute encoder run one after the other.
typedef NS_ENUM(NSUInteger, MTLDispatchType) {
  MTLDispatchTypeSerial = 0,
  MTLDispatchTypeConcurrent = 1,
};

/// A list of commands that runs once.
@protocol MTLCommandBuffer <NSObject>

@property (readonly) id<MTLDevice> device;
@property (readonly) id<MTLCommandQueue> commandQueue;
@property (readonly) BOOL retainedReferences;
@property (readonly) MTLCommandBufferErrorOption errorOptions;
@property (nullable, copy, atomic) NSString *label;

/// Seconds on the host's monotonic clock; 0 before the event.
@property (readonly) CFTimeInterval kernelStartTime;
@property (readonly) CFTimeInterval kernelEndTime;
@property (readonly) CFTimeInterval GPUStartTime;
@property (readonly) CFTimeInterval GPUEndTime;

/// Takes the next place in the queue's order.
- (void)enqueue;
/// Hands the commands over, enqueueing first if need be.
- (void)commit;

/// Handlers are added before commit and run on a thread of Metal's.
- (void)addScheduledHandler:(MTLCommandBufferHandler)block;
- (void)addCompletedHandler:(MTLCommandBufferHandler)block;
- (void)waitUntilScheduled;
/// Returns when the commands have run and every completed handler has returned.
- (void)waitUntilCompleted;

@property (readonly) MTLCommandBufferStatus status;
@property (nullable, readonly) NSError *error;

/// Encoders are autoreleased; one may be open at a time.
- (nullable id<MTLBlitCommandEncoder>)blitCommandEncoder;
- (nullable id<MTLComputeCommandEncoder>)computeCommandEncoder;
- (nullable id<MTLComputeCommandEncoder>)computeCommandEncoderWithDispatchType:
    (MTLDispatchType)dispatchType;

/// Later commands wait until the event reaches `value`.
- (void)encodeWaitForEvent:(id<MTLEvent>)event value:(uint64_t)value;
/// Sets the event when all earlier commands have run.
- (void)encodeSignalEvent:(id<MTLEvent>)event value:(uint64_t)value;

- (void)pushDebugGroup:(NSString *)string;
- (void)popDebugGroup;

@end

NS_ASSUME_NONNULL_END
