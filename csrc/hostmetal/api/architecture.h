#pragma once

#import <Metal/MTLDevice.h>

@interface MTLArchitecture (HostMetal)

- (instancetype)hm_initWithName:(NSString *)name;

@end
