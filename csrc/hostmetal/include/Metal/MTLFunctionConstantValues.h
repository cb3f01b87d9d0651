#pragma once

#import <Metal/MTLDataType.h>

NS_ASSUME_NONNULL_BEGIN

/// Values for a library's function constants, by index or by name. Values are copied.
MTL_EXPORT
@interface MTLFunctionConstantValues : NSObject <NSCopying> {
@private
  struct HMFunctionConstantValuesState *_state;
}

- (void)setConstantValue:(const void *)value type:(MTLDataType)type atIndex:(NSUInteger)index;
/// `values` holds one value of `type` for each index in the range.
- (void)setConstantValues:(const void *)values type:(MTLDataType)type withRange:(NSRange)range;
- (void)setConstantValue:(const void *)value type:(MTLDataType)type withName:(NSString *)name;

/// Forgets every value.
- (void)reset;

@end

NS_ASSUME_NONNULL_END
