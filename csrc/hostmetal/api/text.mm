#include "hostmetal/api/text.hpp"

#include "hostmetal/api/failure.hpp"

namespace hostmetal::api {

NSString *to_string(const std::string &text) {
  for (const NSStringEncoding encoding : {NSUTF8StringEncoding, NSISOLatin1StringEncoding})
    if (NSString *string = [[[NSString alloc] initWithBytes:text.data()
                                                     length:text.size()
                                                   encoding:encoding] autorelease])
      return string;
  return @"";
}

std::string to_utf8(NSString *string) {
  if (!string)
    return {};
  NSData *data = [string dataUsingEncoding:NSUTF8StringEncoding allowLossyConversion:NO];
  if (!data)
    throw Failure(Failure::Kind::unsupported, "A string holds half a surrogate pair.");
  return {static_cast<const char *>([data bytes]), [data length]};
}

} // namespace hostmetal::api
