#pragma once

#import <Metal/MTLDevice.h>

@interface MTLArchitecture (HostMetal)

- (instancetype)initWithName:(NSString *)name;

@end
