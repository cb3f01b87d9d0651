#pragma once

#import <Metal/MTLDefines.h>

NS_ASSUME_NONNULL_BEGIN

/// How much a message matters.
typedef NS_ENUM(NSInteger, MTLLogLevel) {
  MTLLogLevelUndefined = 0,
  MTLLogLevelDebug = 1,
  MTLLogLevelInfo = 2,
  MTLLogLevelNotice = 3,
  MTLLogLevelError = 4,
  MTLLogLevelFault = 5,
};

/// Keeps what kernels log until their command buffer completes; any thread.
@protocol MTLLogState <NSObject>

/// Handlers run on a thread of Metal's before the command buffer's completed handlers. Without one,
/// messages go to standard error.
- (void)addLogHandler:(void (^)(NSString *_Nullable subSystem, NSString *_Nullable category,
                                MTLLogLevel logLevel, NSString *message))block;

@end

MTL_EXPORT
@interface MTLLogStateDescriptor : NSObject <NSCopying> {
@private
  MTLLogLevel _level;
  NSInteger _bufferSize;
}

/// Messages below it are dropped; MTLLogLevelDebug unless set.
@property (nonatomic, assign) MTLLogLevel level;
/// Bytes, from 1 KiB to 1 GiB; messages that do not fit are dropped and counted.
@property (nonatomic, assign) NSInteger bufferSize;

@end

/// The domain of errors in making a log state.
MTL_EXTERN NSErrorDomain const MTLLogStateErrorDomain;

typedef NS_ENUM(NSUInteger, MTLLogStateError) {
  MTLLogStateErrorInvalidSize = 1,
  MTLLogStateErrorInvalid = 2,
};

NS_ASSUME_NONNULL_END
