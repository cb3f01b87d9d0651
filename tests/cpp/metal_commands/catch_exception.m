#import "catch_exception.h"

NSString *reason_of_exception(void (^block)(void)) {
  @try {
    block();
  } @catch (NSException *exception) {
    return [[[exception reason] retain] autorelease];
  }
  return nil;
}
