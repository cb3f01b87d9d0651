#pragma once

#import <Metal/MTLArgument.h>
#import <Metal/MTLDefines.h>
#import <Metal/MTLFunctionDescriptor.h>

NS_ASSUME_NONNULL_BEGIN

@class MTLFunctionConstantValues;
@protocol MTLArgumentEncoder;
@protocol MTLDevice;
@protocol MTLFunction;

typedef NS_ENUM(NSUInteger, MTLFunctionType) {
  MTLFunctionTypeVertex = 1,
  MTLFunctionTypeFragment = 2,
  MTLFunctionTypeKernel = 3,
  MTLFunctionTypeVisible = 5,
  MTLFunctionTypeIntersection = 6,
  MTLFunctionTypeMesh = 7,
  MTLFunctionTypeObject = 8,
};

/// A constant that a function is specialised with.
MTL_EXPORT
@interface MTLFunctionConstant : NSObject {
@private
  NSString *_name;
  MTLDataType _type;
  NSUInteger _index;
  BOOL _required;
}

@property (readonly) NSString *name;
@property (readonly) MTLDataType type;
@property (readonly) NSUInteger index;
/// YES when the function cannot be made without a value.
@property (readonly) BOOL required;

@end

/// A function of a library.
@protocol MTLFunction <NSObject>

@property (nullable, copy, atomic) NSString *label;
@property (readonly) id<MTLDevice> device;
@property (readonly) MTLFunctionType functionType;
@property (readonly) NSString *name;
@property (readonly) NSDictionary<NSString *, MTLFunctionConstant *> *functionConstantsDictionary;
@property (readonly) MTLFunctionOptions options;

/// An encoder for the argument buffer that the function takes at a buffer index, +1.
- (id<MTLArgumentEncoder>)newArgumentEncoderWithBufferIndex:(NSUInteger)bufferIndex;

@end

/// The version of the Metal Shading Language: major in the upper 16 bits, minor in the lower.
typedef NS_ENUM(NSUInteger, MTLLanguageVersion) {
  MTLLanguageVersion1_0 = 1 << 16,
  MTLLanguageVersion1_1 = (1 << 16) + 1,
  MTLLanguageVersion1_2 = (1 << 16) + 2,
  MTLLanguageVersion2_0 = 2 << 16,
  MTLLanguageVersion2_1 = (2 << 16) + 1,
  MTLLanguageVersion2_2 = (2 << 16) + 2,
  MTLLanguageVersion2_3 = (2 << 16) + 3,
  MTLLanguageVersion2_4 = (2 << 16) + 4,
  MTLLanguageVersion3_0 = 3 << 16,
  MTLLanguageVersion3_1 = (3 << 16) + 1,
  MTLLanguageVersion3_2 = (3 << 16) + 2,
  MTLLanguageVersion4_0 = 4 << 16,
};

typedef NS_ENUM(NSInteger, MTLLibraryType) {
  MTLLibraryTypeExecutable = 0,
  MTLLibraryTypeDynamic = 1,
};

typedef NS_ENUM(NSInteger, MTLLibraryOptimizationLevel) {
  MTLLibraryOptimizationLevelDefault = 0,
  MTLLibraryOptimizationLevelSize = 1,
};

/// How far floating-point arithmetic may leave IEEE 754.
typedef NS_ENUM(NSInteger, MTLMathMode) {
  MTLMathModeSafe = 0,
  MTLMathModeRelaxed = 1,
  MTLMathModeFast = 2,
};

/// Which variant of the single-precision functions plain names call.
typedef NS_ENUM(NSInteger, MTLMathFloatingPointFunctions) {
  MTLMathFloatingPointFunctionsFast = 0,
  MTLMathFloatingPointFunctionsPrecise = 1,
};

/// How source is compiled.
MTL_EXPORT
@interface MTLCompileOptions : NSObject <NSCopying> {
@private
  NSDictionary<NSString *, NSObject *> *_preprocessorMacros;
  MTLMathMode _mathMode;
  MTLMathFloatingPointFunctions _mathFloatingPointFunctions;
  MTLLanguageVersion _languageVersion;
  MTLLibraryType _libraryType;
  NSString *_installName;
  BOOL _preserveInvariance;
  MTLLibraryOptimizationLevel _optimizationLevel;
  NSUInteger _maxTotalThreadsPerThreadgroup;
  BOOL _enableLogging;
}

/// Macro names to NSString or NSNumber values.
@property (nullable, readwrite, copy, nonatomic)
    NSDictionary<NSString *, NSObject *> *preprocessorMacros;
/// The older form of mathMode: YES is Fast, NO is Safe; YES unless set.
@property (readwrite, nonatomic) BOOL fastMathEnabled;
/// Fast unless set.
@property (readwrite, nonatomic) MTLMathMode mathMode;
/// Fast unless set.
@property (readwrite, nonatomic) MTLMathFloatingPointFunctions mathFloatingPointFunctions;
@property (readwrite, nonatomic) MTLLanguageVersion languageVersion;
@property (readwrite, nonatomic) MTLLibraryType libraryType;
@property (readwrite, nullable, copy, nonatomic) NSString *installName;
/// YES keeps positions computed by vertex functions bit-identical.
@property (readwrite, nonatomic) BOOL preserveInvariance;
@property (readwrite, nonatomic) MTLLibraryOptimizationLevel optimizationLevel;
/// The largest threadgroup that the kernels must run with; 0 leaves it to each kernel.
@property (readwrite, nonatomic) NSUInteger maxTotalThreadsPerThreadgroup;
/// YES: the functions of <metal_logging> log; otherwise they do nothing.
@property (readwrite, nonatomic) BOOL enableLogging;

@end

/// The domain of errors in making libraries, functions and pipelines.
MTL_EXTERN NSErrorDomain const MTLLibraryErrorDomain;

typedef NS_ENUM(NSUInteger, MTLLibraryError) {
  MTLLibraryErrorUnsupported = 1,
  MTLLibraryErrorInternal = 2,
  MTLLibraryErrorCompileFailure = 3,
  MTLLibraryErrorCompileWarning = 4,
  MTLLibraryErrorFunctionNotFound = 5,
  MTLLibraryErrorFileNotFound = 6,
};

/// A set of compiled functions.
@protocol MTLLibrary <NSObject>

@property (nullable, copy, atomic) NSString *label;
@property (readonly) id<MTLDevice> device;

/// The function of that name, +1 for the caller; nil if there is none.
- (nullable id<MTLFunction>)newFunctionWithName:(NSString *)functionName;
/// The function specialised with values, +1 for the caller.
- (nullable id<MTLFunction>)newFunctionWithName:(NSString *)name
                                 constantValues:(MTLFunctionConstantValues *)constantValues
                                          error:(NSError **)error;
- (void)newFunctionWithName:(NSString *)name
             constantValues:(MTLFunctionConstantValues *)constantValues
          completionHandler:(void (^)(id<MTLFunction> _Nullable function,
                                      NSError *_Nullable error))completionHandler;
- (void)newFunctionWithDescriptor:(MTLFunctionDescriptor *)descriptor
                completionHandler:(void (^)(id<MTLFunction> _Nullable function,
                                            NSError *_Nullable error))completionHandler;
- (nullable id<MTLFunction>)newFunctionWithDescriptor:(MTLFunctionDescriptor *)descriptor
                                                error:(NSError **)error;

@property (readonly) NSArray<NSString *> *functionNames;
@property (readonly) MTLLibraryType type;
@property (readonly, nullable) NSString *installName;

@end

NS_ASSUME_NONNULL_END
