#pragma once

#import <Foundation/Foundation.h>

#include <string>

namespace hostmetal::api {

/// Autoreleased. Bytes that are no UTF-8 are taken for Latin-1.
NSString *to_string(const std::string &text);
/// UTF-8; empty for nil. Throws Failure when the string has half a surrogate pair.
std::string to_utf8(NSString *string);

} // namespace hostmetal::api
