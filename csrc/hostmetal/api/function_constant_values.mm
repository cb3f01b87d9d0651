#import "hostmetal/api/function_constant_values.h"

#include "hostmetal/api/text.hpp"

using hostmetal::api::ConstantValues;

struct HMFunctionConstantValuesState {
  ConstantValues values;
};

namespace {

void require_value(const void *value, MTLDataType type) {
  if (!value)
    [NSException raise:NSInvalidArgumentException
                format:@"A function constant's value is read from a null pointer."];
  if (hostmetal::api::size_of(static_cast<uint32_t>(type)) == 0)
    [NSException
         raise:NSInvalidArgumentException
        format:@"A function constant cannot be of MTLDataType %lu; it is a scalar or a vector.",
               static_cast<unsigned long>(type)];
}

// Indices are attributes of 16 bits in MSL; the API's word is wider.
void require_index(NSUInteger last) {
  if (last > UINT16_MAX)
    [NSException raise:NSInvalidArgumentException
                format:@"The index of a function constant (%lu) is larger than the limit (65535).",
                       static_cast<unsigned long>(last)];
}

} // namespace

@implementation MTLFunctionConstantValues

- (instancetype)init {
  if ((self = [super init]))
    _state = new HMFunctionConstantValuesState;
  return self;
}

- (void)dealloc {
  delete _state;
  [super dealloc];
}

- (id)copyWithZone:(NSZone *)zone {
  MTLFunctionConstantValues *copy = [[MTLFunctionConstantValues allocWithZone:zone] init];
  *copy->_state = *_state;
  return copy;
}

- (void)setConstantValue:(const void *)value type:(MTLDataType)type atIndex:(NSUInteger)index {
  [self setConstantValues:value type:type withRange:NSMakeRange(index, 1)];
}

- (void)setConstantValues:(const void *)values type:(MTLDataType)type withRange:(NSRange)range {
  if (range.length == 0)
    return;
  require_value(values, type);
  require_index(range.location);
  require_index(range.length - 1);
  require_index(range.location + range.length - 1);
  const auto data_type = static_cast<uint32_t>(type);
  const auto *next = static_cast<const uint8_t *>(values);
  for (NSUInteger index = range.location; index < range.location + range.length; ++index) {
    _state->values.set(static_cast<uint32_t>(index), data_type, next);
    next += hostmetal::api::size_of(data_type);
  }
}

- (void)setConstantValue:(const void *)value type:(MTLDataType)type withName:(NSString *)name {
  require_value(value, type);
  if (![name canBeConvertedToEncoding:NSUTF8StringEncoding])
    [NSException raise:NSInvalidArgumentException
                format:@"The name of a function constant is nil or holds half a surrogate pair."];
  _state->values.set(hostmetal::api::to_utf8(name), static_cast<uint32_t>(type), value);
}

- (void)reset {
  _state->values.clear();
}

@end

@implementation MTLFunctionConstantValues (HostMetal)

- (const ConstantValues &)hm_values {
  return _state->values;
}

@end
