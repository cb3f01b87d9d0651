#pragma once

#import <Foundation/Foundation.h>

#include <string>

namespace metalcore::objc {

/// What went wrong, in Metal's words, as the end of a sentence (without its full stop); "unknown
/// error" for nil.
std::string describe(NSError *error);

} // namespace metalcore::objc
