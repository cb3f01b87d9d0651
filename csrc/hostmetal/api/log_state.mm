#import "hostmetal/api/log_state.h"

#include "hostmetal/api/text.hpp"
#include "objc/retained.hpp"

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

using hostmetal::api::Block;
using hostmetal::api::LogBuffer;
using hostmetal::api::LogHandler;
using metalcore::objc::Retained;

NSErrorDomain const MTLLogStateErrorDomain = @"MTLLogStateErrorDomain";

namespace {

constexpr NSInteger least_buffer_size = NSInteger{1} << 10;
constexpr NSInteger most_buffer_size = NSInteger{1} << 30;

using Handlers = std::vector<Block<LogHandler>>;

void write_to_stderr(const LogBuffer::Message &message) {
  const std::string origin = message.subsystem.empty() && message.category.empty()
                                 ? std::string()
                                 : "[" + message.subsystem + ":" + message.category + "] ";
  std::fprintf(stderr, "%s%s\n", origin.c_str(), message.text.c_str());
}

void hand_over(const LogBuffer::Message &message, const Handlers &handlers) {
  if (handlers.empty())
    return write_to_stderr(message);
  const auto text = [](const std::string &text) { return hostmetal::api::to_string(text); };
  const auto text_or_nil = [&](const std::string &words) {
    return words.empty() ? nil : text(words);
  };
  for (const Block<LogHandler> &handler : handlers)
    handler(text_or_nil(message.subsystem), text_or_nil(message.category),
            static_cast<MTLLogLevel>(message.level), text(message.text));
}

std::optional<MTLLogLevel> level_named(std::string_view name) {
  constexpr std::string_view names[] = {"MTLLogLevelDebug", "MTLLogLevelInfo", "MTLLogLevelNotice",
                                        "MTLLogLevelError", "MTLLogLevelFault"};
  for (size_t i = 0; i < std::size(names); ++i)
    if (names[i] == name)
      return static_cast<MTLLogLevel>(MTLLogLevelDebug + static_cast<NSInteger>(i));
  return std::nullopt;
}

} // namespace

@implementation HMLogState

- (instancetype)initWithLevel:(MTLLogLevel)level bufferSize:(size_t)bufferSize {
  if ((self = [super init]))
    _buffer = std::make_shared<LogBuffer>(static_cast<int>(level), bufferSize);
  return self;
}

- (const std::shared_ptr<LogBuffer> &)hm_buffer {
  return _buffer;
}

- (void)addLogHandler:(LogHandler)block {
  if (!block)
    [NSException raise:NSInvalidArgumentException
                format:@"-%@ was given no block.", NSStringFromSelector(_cmd)];
  _handlers.with([&](Handlers &handlers) { handlers.emplace_back(block); });
}

- (void)hm_deliver {
  LogBuffer::Contents contents = _buffer->take();
  if (contents.dropped > 0)
    contents.messages.push_back(
        {"", "", MTLLogLevelError,
         std::to_string(contents.dropped) + " messages were dropped: the log buffer was full."});
  if (contents.messages.empty())
    return;
  const Handlers handlers = _handlers.with([](const Handlers &handlers) { return handlers; });
  for (const LogBuffer::Message &message : contents.messages)
    hand_over(message, handlers);
}

@end

namespace hostmetal::api {

id<MTLLogState> make_log_state(MTLLogStateDescriptor *descriptor) {
  if (!descriptor)
    throw std::invalid_argument("A log state needs a descriptor, which is nil.");
  const NSInteger size = [descriptor bufferSize];
  if (size < least_buffer_size || size > most_buffer_size)
    throw std::invalid_argument("The buffer size of a log state (" + std::to_string(size) +
                                " bytes) must be from " + std::to_string(least_buffer_size) +
                                " to " + std::to_string(most_buffer_size) + ".");
  return [[HMLogState alloc] initWithLevel:[descriptor level] bufferSize:static_cast<size_t>(size)];
}

id<MTLLogState> make_log_state_of_environment() {
  const char *const level = std::getenv("MTL_LOG_LEVEL");
  const char *const size = std::getenv("MTL_LOG_BUFFER_SIZE");
  if (!level && !size)
    return nil;
  const auto descriptor =
      Retained<MTLLogStateDescriptor *>::adopt([[MTLLogStateDescriptor alloc] init]);
  if (level)
    [descriptor.get() setLevel:level_named(level).value_or(MTLLogLevelInfo)];
  if (size)
    [descriptor.get()
        setBufferSize:std::clamp<NSInteger>(std::atoll(size), least_buffer_size, most_buffer_size)];
  return make_log_state(descriptor.get());
}

} // namespace hostmetal::api
