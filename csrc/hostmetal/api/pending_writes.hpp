#pragma once

#include "hostmetal/api/task_queue.hpp"

namespace hostmetal::api {

/// Runs a write on a thread in the background. It may be lost: when no thread can be started, and
/// when the process ends, which waits for it 150 ms at most. The task must not throw
/// anything but std::exception.
void write_in_background(TaskQueue::Task write);

} // namespace hostmetal::api
