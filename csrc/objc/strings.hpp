#pragma once

#import <Foundation/Foundation.h>

#include <string>
#include <string_view>

namespace metalcore::objc {

/// UTF-8; empty for nil.
inline std::string to_string(NSString *text) {
  const char *bytes = [text UTF8String];
  return bytes ? bytes : "";
}

/// Autoreleased; nil when `text` is not UTF-8.
inline NSString *to_nsstring(std::string_view text) {
  return
      [[[NSString alloc] initWithBytes:text.data() length:text.size() encoding:NSUTF8StringEncoding]
          autorelease];
}

} // namespace metalcore::objc
