#pragma once

#import <Metal/MTLDefines.h>
#import <hostmetal/dispatch.h>

NS_ASSUME_NONNULL_BEGIN

@protocol MTLDevice;
@protocol MTLSharedEvent;

/// A 64-bit value that only grows, set and waited on by command buffers of one device.
@protocol MTLEvent <NSObject>

@property (nullable, readonly) id<MTLDevice> device;
@property (nullable, copy, atomic) NSString *label;

@end

/// Where notifications of shared events run.
MTL_EXPORT
@interface MTLSharedEventListener : NSObject {
@private
  dispatch_queue_t _dispatchQueue;
}

/// A listener with a queue of its own.
- (instancetype)init;
- (instancetype)initWithDispatchQueue:(dispatch_queue_t)dispatchQueue;

@property (nonatomic, readonly) dispatch_queue_t dispatchQueue;

@end

/// Called on the listener's queue with the value that the event had reached.
typedef void (^MTLSharedEventNotificationBlock)(id<MTLSharedEvent> event, uint64_t value);

/// What another owner of the same event is made from.
MTL_EXPORT
@interface MTLSharedEventHandle : NSObject <NSSecureCoding> {
@private
  struct HMSharedEventHandleState *_state;
}

@property (readonly, nullable) NSString *label;

@end

/// An event that the CPU sets, reads and waits on too.
@protocol MTLSharedEvent <MTLEvent>

/// Calls `block` once, when the event reaches `value` or at once if it has.
- (void)notifyListener:(MTLSharedEventListener *)listener
               atValue:(uint64_t)value
                 block:(MTLSharedEventNotificationBlock)block;

/// +1 for the caller.
- (MTLSharedEventHandle *)newSharedEventHandle;

/// Blocks until the event reaches `value`; NO after `milliseconds` without it.
- (BOOL)waitUntilSignaledValue:(uint64_t)value timeoutMS:(uint64_t)milliseconds;

@property (readwrite) uint64_t signaledValue;

@end

NS_ASSUME_NONNULL_END
