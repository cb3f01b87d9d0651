#include "hostmetal/api/compile_options.hpp"

#include "hostmetal/api/failure.hpp"
#include "hostmetal/api/text.hpp"
#include "objc/retained.hpp"

using metalcore::objc::Retained;

@implementation MTLCompileOptions

@synthesize preprocessorMacros = _preprocessorMacros, mathMode = _mathMode,
            mathFloatingPointFunctions = _mathFloatingPointFunctions,
            languageVersion = _languageVersion, libraryType = _libraryType,
            installName = _installName, preserveInvariance = _preserveInvariance,
            optimizationLevel = _optimizationLevel,
            maxTotalThreadsPerThreadgroup = _maxTotalThreadsPerThreadgroup,
            enableLogging = _enableLogging;

- (instancetype)init {
  if ((self = [super init])) {
    _mathMode = MTLMathModeFast;
    _languageVersion = MTLLanguageVersion3_2;
  }
  return self;
}

- (void)dealloc {
  [_preprocessorMacros release];
  [_installName release];
  [super dealloc];
}

- (id)copyWithZone:(NSZone *)zone {
  MTLCompileOptions *copy = [[MTLCompileOptions allocWithZone:zone] init];
  [copy setPreprocessorMacros:_preprocessorMacros];
  [copy setMathMode:_mathMode];
  [copy setMathFloatingPointFunctions:_mathFloatingPointFunctions];
  [copy setLanguageVersion:_languageVersion];
  [copy setLibraryType:_libraryType];
  [copy setInstallName:_installName];
  [copy setPreserveInvariance:_preserveInvariance];
  [copy setOptimizationLevel:_optimizationLevel];
  [copy setMaxTotalThreadsPerThreadgroup:_maxTotalThreadsPerThreadgroup];
  [copy setEnableLogging:_enableLogging];
  return copy;
}

- (BOOL)fastMathEnabled {
  return _mathMode == MTLMathModeFast;
}

- (void)setFastMathEnabled:(BOOL)fastMathEnabled {
  _mathMode = fastMathEnabled ? MTLMathModeFast : MTLMathModeSafe;
  _mathFloatingPointFunctions =
      fastMathEnabled ? MTLMathFloatingPointFunctionsFast : MTLMathFloatingPointFunctionsPrecise;
}

@end

namespace hostmetal::api {

namespace {

HmMathMode math_mode(MTLCompileOptions *options) {
  // Precise functions come with safe arithmetic, which every other mode allows too.
  if ([options mathFloatingPointFunctions] == MTLMathFloatingPointFunctionsPrecise)
    return HM_MATH_SAFE;
  switch ([options mathMode]) {
  case MTLMathModeSafe:
    return HM_MATH_SAFE;
  case MTLMathModeRelaxed:
    return HM_MATH_RELAXED;
  case MTLMathModeFast:
    return HM_MATH_FAST;
  }
  throw Failure(Failure::Kind::unsupported,
                "Math mode " + std::to_string([options mathMode]) + " is not one of MTLMathMode.");
}

std::string macro_value(NSObject *value) {
  if ([value isKindOfClass:[NSString class]])
    return to_utf8(static_cast<NSString *>(value));
  if ([value isKindOfClass:[NSNumber class]])
    return to_utf8([static_cast<NSNumber *>(value) stringValue]);
  throw Failure(Failure::Kind::unsupported, "The value of a preprocessor macro is of class " +
                                                to_utf8(NSStringFromClass([value class])) +
                                                " and neither NSString nor NSNumber.");
}

} // namespace

SourceRequest source_request(NSString *source, MTLCompileOptions *given) {
  const auto options = given
                           ? Retained<MTLCompileOptions *>::retain(given)
                           : Retained<MTLCompileOptions *>::adopt([[MTLCompileOptions alloc] init]);
  if (!source)
    throw Failure(Failure::Kind::unsupported, "A library needs a source, which is nil.");
  if ([options.get() libraryType] != MTLLibraryTypeExecutable)
    throw Failure(Failure::Kind::unsupported, "Dynamic libraries are not supported.");
  SourceRequest request{
      .source = to_utf8(source),
      .macros = {},
      .language_version = static_cast<uint32_t>([options.get() languageVersion]),
      .math_mode = math_mode(options.get()),
      .enable_logging = static_cast<bool>([options.get() enableLogging]),
  };
  NSDictionary<NSString *, NSObject *> *macros = [options.get() preprocessorMacros];
  // In one order, so that equal options are equal requests.
  for (NSString *name in [[macros allKeys] sortedArrayUsingSelector:@selector(compare:)])
    request.macros.emplace_back(to_utf8(name), macro_value([macros objectForKey:name]));
  return request;
}

} // namespace hostmetal::api
