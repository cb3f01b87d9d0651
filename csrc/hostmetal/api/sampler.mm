#import "hostmetal/api/sampler.h"

#import "hostmetal/api/device.h"
#include "hostmetal/image/texel.hpp"

#include <cfloat>

using metalcore::objc::Retained;

namespace {

uint64_t half_bits(float value) {
  using namespace hostmetal::image;
  return texel::float_to_half(Floats(value)).x;
}

void require(BOOL condition, NSString *what, NSUInteger value, NSString *limit) {
  if (!condition)
    [NSException raise:NSInvalidArgumentException
                format:@"The sampler's %@ (%lu) %@.", what, (unsigned long)value, limit];
}

/// Coordinates in pixels go with modes that keep to the texture, and with one level.
bool is_for_pixels(MTLSamplerAddressMode mode) {
  return mode == MTLSamplerAddressModeClampToEdge || mode == MTLSamplerAddressModeClampToZero ||
         mode == MTLSamplerAddressModeClampToBorderColor;
}

void check(MTLSamplerDescriptor *descriptor) {
  NSString *const unknown = @"is none that Metal has";
  for (const NSUInteger filter :
       {(NSUInteger)[descriptor minFilter], (NSUInteger)[descriptor magFilter]})
    require(filter <= MTLSamplerMinMagFilterLinear, @"filter", filter, unknown);
  require([descriptor mipFilter] <= MTLSamplerMipFilterLinear, @"mip filter",
          [descriptor mipFilter], unknown);
  require([descriptor borderColor] <= MTLSamplerBorderColorOpaqueWhite, @"border colour",
          [descriptor borderColor], unknown);
  require([descriptor compareFunction] <= MTLCompareFunctionAlways, @"compare function",
          [descriptor compareFunction], unknown);
  require([descriptor maxAnisotropy] >= 1 && [descriptor maxAnisotropy] <= 16,
          @"maximum anisotropy", [descriptor maxAnisotropy], @"must be from 1 to 16");
  const BOOL isPixels = ![descriptor normalizedCoordinates];
  for (const NSUInteger mode :
       {(NSUInteger)[descriptor sAddressMode], (NSUInteger)[descriptor tAddressMode],
        (NSUInteger)[descriptor rAddressMode]}) {
    require(mode <= MTLSamplerAddressModeClampToBorderColor, @"address mode", mode, unknown);
    require(!isPixels || is_for_pixels(static_cast<MTLSamplerAddressMode>(mode)), @"address mode",
            mode, @"needs normalised coordinates");
  }
  require(!isPixels || [descriptor mipFilter] == MTLSamplerMipFilterNotMipmapped, @"mip filter",
          [descriptor mipFilter], @"needs normalised coordinates");
}

uint64_t word_of(MTLSamplerDescriptor *descriptor) {
  uint64_t word = uint64_t{1} << HM_SAMPLER_PRESENT;
  const auto add = [&word](NSUInteger value, unsigned from) { word |= uint64_t{value} << from; };
  add([descriptor minFilter], HM_SAMPLER_MIN_FILTER);
  add([descriptor magFilter], HM_SAMPLER_MAG_FILTER);
  add([descriptor mipFilter], HM_SAMPLER_MIP_FILTER);
  add([descriptor sAddressMode], HM_SAMPLER_S_ADDRESS);
  add([descriptor tAddressMode], HM_SAMPLER_T_ADDRESS);
  add([descriptor rAddressMode], HM_SAMPLER_R_ADDRESS);
  add([descriptor normalizedCoordinates] ? 0 : 1, HM_SAMPLER_PIXEL_COORD);
  add([descriptor borderColor], HM_SAMPLER_BORDER_COLOR);
  add([descriptor compareFunction], HM_SAMPLER_COMPARE);
  add([descriptor maxAnisotropy] - 1, HM_SAMPLER_MAX_ANISOTROPY);
  return hostmetal::api::with_lod_clamp(word, [descriptor lodMinClamp], [descriptor lodMaxClamp]);
}

} // namespace

@interface HMSamplerState (Making)
- (instancetype)initWithDevice:(HMDevice *)device descriptor:(MTLSamplerDescriptor *)descriptor;
@end

@implementation HMSamplerState

@synthesize label = _label;

- (instancetype)initWithDevice:(HMDevice *)device descriptor:(MTLSamplerDescriptor *)descriptor {
  if ((self = [super init])) {
    _device = Retained<HMDevice *>::retain(device);
    _word = word_of(descriptor);
    _label = [[descriptor label] copy];
  }
  return self;
}

- (void)dealloc {
  [_label release];
  [super dealloc];
}

- (id<MTLDevice>)device {
  return _device.get();
}

- (uint64_t)hm_word {
  return _word;
}

@end

@implementation MTLSamplerDescriptor

@synthesize minFilter = _minFilter, magFilter = _magFilter, mipFilter = _mipFilter,
            maxAnisotropy = _maxAnisotropy, sAddressMode = _sAddressMode,
            tAddressMode = _tAddressMode, rAddressMode = _rAddressMode, borderColor = _borderColor,
            normalizedCoordinates = _normalizedCoordinates, lodMinClamp = _lodMinClamp,
            lodMaxClamp = _lodMaxClamp, lodAverage = _lodAverage,
            compareFunction = _compareFunction, supportArgumentBuffers = _supportArgumentBuffers,
            label = _label;

- (instancetype)init {
  if ((self = [super init])) {
    _maxAnisotropy = 1;
    _normalizedCoordinates = YES;
    _lodMaxClamp = FLT_MAX;
  }
  return self;
}

- (void)dealloc {
  [_label release];
  [super dealloc];
}

- (id)copyWithZone:(NSZone *)zone {
  MTLSamplerDescriptor *const copy = [[MTLSamplerDescriptor allocWithZone:zone] init];
  copy->_minFilter = _minFilter;
  copy->_magFilter = _magFilter;
  copy->_mipFilter = _mipFilter;
  copy->_maxAnisotropy = _maxAnisotropy;
  copy->_sAddressMode = _sAddressMode;
  copy->_tAddressMode = _tAddressMode;
  copy->_rAddressMode = _rAddressMode;
  copy->_borderColor = _borderColor;
  copy->_normalizedCoordinates = _normalizedCoordinates;
  copy->_lodMinClamp = _lodMinClamp;
  copy->_lodMaxClamp = _lodMaxClamp;
  copy->_lodAverage = _lodAverage;
  copy->_compareFunction = _compareFunction;
  copy->_supportArgumentBuffers = _supportArgumentBuffers;
  copy->_label = [_label copy];
  return copy;
}

@end

namespace hostmetal::api {

id<MTLSamplerState> make_sampler(HMDevice *device, MTLSamplerDescriptor *descriptor) {
  if (!descriptor)
    return nil;
  check(descriptor);
  return [[HMSamplerState alloc] initWithDevice:device descriptor:descriptor];
}

uint64_t with_lod_clamp(uint64_t word, float least, float most) {
  return (word & 0xffffffff) | half_bits(least) << HM_SAMPLER_LOD_MIN |
         half_bits(most) << HM_SAMPLER_LOD_MAX;
}

} // namespace hostmetal::api
