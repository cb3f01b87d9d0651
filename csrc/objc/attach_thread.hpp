#pragma once

namespace metalcore::objc {

/// Makes the calling thread known to Foundation, until the thread ends. Called before a thread's
/// first Objective-C message; cheap from then on. The first call of a process sets Foundation up:
/// milliseconds on Linux.
void attach_thread();

} // namespace metalcore::objc
