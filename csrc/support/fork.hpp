#pragma once

#include <cstdint>

// What keeps a forked child whole. A child has one thread and a copy of everything else: a lock
// that another thread held stays locked in it, and work that another thread did never ends.
//  - Locks: a Section marks a stretch of code that must not be cut by a fork. fork() waits until no
//    thread is inside of one, so no lock taken within a Section is held when the child begins.
//  - Work: whoever leaves a promise to other threads notes the process's generation with it; a
//    promise of an older generation will never be kept.

namespace metalcore::fork {

/// How many forks lie between this process and the one that loaded the library. Any thread.
uint64_t generation() noexcept;

/// A stretch of the calling thread that no fork of the process cuts. Sections nest. Nothing inside
/// one waits for another thread that is outside of one, or for a lock of the caller's own (such as
/// Python's): that thread may be the one that forks, and waits in turn.
class Section {
public:
  Section() noexcept;
  ~Section();
  Section(const Section &) = delete;
  Section &operator=(const Section &) = delete;
};

} // namespace metalcore::fork
