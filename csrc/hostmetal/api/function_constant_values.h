#pragma once

#import <Metal/MTLFunctionConstantValues.h>

#include "hostmetal/api/constant_values.hpp"

@interface MTLFunctionConstantValues (HostMetal)

- (const hostmetal::api::ConstantValues &)hm_values;

@end
