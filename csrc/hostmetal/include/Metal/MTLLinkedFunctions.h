#pragma once

#import <Metal/MTLDefines.h>

NS_ASSUME_NONNULL_BEGIN

@protocol MTLFunction;

/// The visible functions that a pipeline's kernel may call. They may come from several libraries.
MTL_EXPORT
@interface MTLLinkedFunctions : NSObject <NSCopying> {
@private
  NSArray<id<MTLFunction>> *_functions;
  NSArray<id<MTLFunction>> *_binaryFunctions;
  NSDictionary<NSString *, NSArray<id<MTLFunction>> *> *_groups;
  NSArray<id<MTLFunction>> *_privateFunctions;
}

+ (MTLLinkedFunctions *)linkedFunctions;

@property (readwrite, nonatomic, copy, nullable) NSArray<id<MTLFunction>> *functions;
/// Functions that were made with MTLFunctionOptionCompileToBinary.
@property (readwrite, nonatomic, copy, nullable) NSArray<id<MTLFunction>> *binaryFunctions;
/// Which functions the calls of a [[function_groups]] attribute's group may reach.
@property (readwrite, nonatomic, copy, nullable)
    NSDictionary<NSString *, NSArray<id<MTLFunction>> *> *groups;
/// Functions that the kernel calls by name; the pipeline has no handles of them.
@property (readwrite, nonatomic, copy, nullable) NSArray<id<MTLFunction>> *privateFunctions;

@end

NS_ASSUME_NONNULL_END
