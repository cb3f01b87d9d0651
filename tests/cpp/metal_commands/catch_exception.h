#pragma once

#import <Foundation/Foundation.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Runs the block; the reason of the exception that it raised, autoreleased, or nil.
__attribute__((visibility("default"))) NSString *reason_of_exception(void (^block)(void));

#ifdef __cplusplus
}
#endif
