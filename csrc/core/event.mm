#include "core/event_impl.hpp"

#include "core/device_impl.hpp"
#include "core/platform.hpp"
#include "metalcore/error.hpp"
#include "objc/autorelease_pool.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace metalcore {

using objc::Retained;
using namespace std::chrono_literals;

Event Device::make_event() const {
  platform::check_process();
  const fork::Section section;
  const objc::AutoreleasePool pool;
  auto event = Retained<id<MTLSharedEvent>>::adopt([impl_->metal.get() newSharedEvent]);
  if (!event)
    throw Error(ErrorKind::unsupported, "Device \"" + impl_->name + "\" cannot make an event.");
  return Event(std::make_shared<Event::Impl>(impl_, std::move(event)));
}

uint64_t Event::value() const {
  const objc::AutoreleasePool pool;
  return [impl_->metal.get() signaledValue];
}

void Event::signal(uint64_t value) const {
  platform::check_process();
  const objc::AutoreleasePool pool;
  const uint64_t present = [impl_->metal.get() signaledValue];
  if (value < present)
    throw std::invalid_argument("Event value (" + std::to_string(value) +
                                ") is smaller than the present one (" + std::to_string(present) +
                                ").");
  [impl_->metal.get() setSignaledValue:value];
}

bool Event::wait(uint64_t value, std::optional<std::chrono::nanoseconds> timeout) const {
  platform::check_process();
  const objc::AutoreleasePool pool;
  if (!timeout) {
    // In pieces, because not every Metal takes "for ever".
    constexpr auto piece = std::chrono::milliseconds(1h);
    while (![impl_->metal.get() waitUntilSignaledValue:value
                                             timeoutMS:static_cast<uint64_t>(piece.count())])
      ;
    return true;
  }
  // Metal counts milliseconds; rounding up keeps a short wait from being none.
  const auto rest = std::chrono::ceil<std::chrono::milliseconds>(std::max(*timeout, 0ns));
  return [impl_->metal.get() waitUntilSignaledValue:value
                                          timeoutMS:static_cast<uint64_t>(rest.count())];
}

} // namespace metalcore
