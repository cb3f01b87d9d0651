#pragma once

// What Apple's Foundation and system headers define and GNUstep's may lack. Each definition steps
// aside for a platform that has its own.

#import <Foundation/Foundation.h>

#ifndef __autoreleasing
#define __autoreleasing
#endif
#ifndef NS_ERROR_ENUM
#define NS_ERROR_ENUM(domain, name) NS_ENUM(NSInteger, name)
#endif
#ifndef NS_SWIFT_NAME
#define NS_SWIFT_NAME(name)
#endif
#ifndef NS_REFINED_FOR_SWIFT
#define NS_REFINED_FOR_SWIFT
#endif
#ifndef NS_RETURNS_INNER_POINTER
#define NS_RETURNS_INNER_POINTER
#endif
#ifndef NS_CLOSED_ENUM
#define NS_CLOSED_ENUM NS_ENUM
#endif
#ifndef API_AVAILABLE
#define API_AVAILABLE(...)
#endif
#ifndef API_UNAVAILABLE
#define API_UNAVAILABLE(...)
#endif
#ifndef API_DEPRECATED
#define API_DEPRECATED(...)
#endif
#ifndef API_DEPRECATED_WITH_REPLACEMENT
#define API_DEPRECATED_WITH_REPLACEMENT(...)
#endif

typedef NSString *NSErrorUserInfoKey;
typedef double CFTimeInterval;
