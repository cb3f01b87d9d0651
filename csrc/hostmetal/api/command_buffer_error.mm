#include "hostmetal/api/command_buffer_error.hpp"

#include "hostmetal/api/error.hpp"

NSErrorDomain const MTLCommandBufferErrorDomain = @"MTLCommandBufferErrorDomain";
NSErrorUserInfoKey const MTLCommandBufferEncoderInfoErrorKey =
    @"MTLCommandBufferEncoderInfoErrorKey";

using hostmetal::api::EncoderRecord;
using metalcore::objc::Retained;

/// What one encoder of a failed command buffer was, and what became of it. Immutable.
@interface HMCommandBufferEncoderInfo : NSObject <MTLCommandBufferEncoderInfo> {
@private
  EncoderRecord _record;
  MTLCommandEncoderErrorState _errorState;
}
- (instancetype)initWithRecord:(const EncoderRecord &)record
                         state:(MTLCommandEncoderErrorState)state;
@end

@implementation HMCommandBufferEncoderInfo

@synthesize errorState = _errorState;

- (instancetype)initWithRecord:(const EncoderRecord &)record
                         state:(MTLCommandEncoderErrorState)state {
  if ((self = [super init])) {
    _record = record;
    _errorState = state;
  }
  return self;
}

- (NSString *)label {
  return _record.label.get() ?: @"";
}

- (NSArray<NSString *> *)debugSignposts {
  NSMutableArray<NSString *> *signposts = [NSMutableArray array];
  for (const Retained<NSString *> &signpost : _record.signposts)
    [signposts addObject:signpost.get()];
  return signposts;
}

@end

namespace hostmetal::api {

namespace {
MTLCommandEncoderErrorState state_of(size_t encoder, const Fault &fault) {
  if (!fault.encoder)
    return MTLCommandEncoderErrorStateUnknown;
  // A misuse is found before anything runs: all the others are still to begin.
  return encoder == *fault.encoder ? MTLCommandEncoderErrorStateFaulted
                                   : MTLCommandEncoderErrorStatePending;
}
} // namespace

NSError *make_command_buffer_error(const Fault &fault, const std::vector<EncoderRecord> &encoders,
                                   MTLCommandBufferErrorOption options) {
  NSError *const plain = make_error(MTLCommandBufferErrorDomain, fault.code, fault.message);
  if (!(options & MTLCommandBufferErrorOptionEncoderExecutionStatus))
    return plain;
  NSMutableArray<id<MTLCommandBufferEncoderInfo>> *infos = [NSMutableArray array];
  for (size_t encoder = 0; encoder < encoders.size(); ++encoder) {
    const auto info = Retained<HMCommandBufferEncoderInfo *>::adopt(
        [[HMCommandBufferEncoderInfo alloc] initWithRecord:encoders[encoder]
                                                     state:state_of(encoder, fault)]);
    [infos addObject:info.get()];
  }
  NSMutableDictionary *details = [NSMutableDictionary dictionaryWithDictionary:[plain userInfo]];
  [details setObject:infos forKey:MTLCommandBufferEncoderInfoErrorKey];
  return [NSError errorWithDomain:[plain domain] code:[plain code] userInfo:details];
}

NSError *make_forked_error() {
  return make_error(MTLCommandBufferErrorDomain, MTLCommandBufferErrorAccessRevoked,
                    "The command buffer was committed before the process forked, and runs in the "
                    "parent only.");
}

} // namespace hostmetal::api
