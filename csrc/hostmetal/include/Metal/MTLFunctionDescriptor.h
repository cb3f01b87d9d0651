#pragma once

#import <Metal/MTLDefines.h>

NS_ASSUME_NONNULL_BEGIN

@class MTLFunctionConstantValues;

typedef NS_OPTIONS(NSUInteger, MTLFunctionOptions) {
  MTLFunctionOptionNone = 0,
  MTLFunctionOptionCompileToBinary = 1 << 0,
};

/// How a function is taken out of a library.
MTL_EXPORT
@interface MTLFunctionDescriptor : NSObject <NSCopying> {
@private
  NSString *_name;
  NSString *_specializedName;
  MTLFunctionConstantValues *_constantValues;
  MTLFunctionOptions _options;
}

+ (MTLFunctionDescriptor *)functionDescriptor;

/// The function's name in the library.
@property (nullable, copy, nonatomic) NSString *name;
/// The name that the specialised function gets; nil keeps `name`.
@property (nullable, copy, nonatomic) NSString *specializedName;
@property (nullable, copy, nonatomic) MTLFunctionConstantValues *constantValues;
@property (nonatomic) MTLFunctionOptions options;

@end

NS_ASSUME_NONNULL_END
