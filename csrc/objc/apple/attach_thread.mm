#include "objc/attach_thread.hpp"

namespace metalcore::objc {

void attach_thread() {} // Foundation finds out by itself

} // namespace metalcore::objc
