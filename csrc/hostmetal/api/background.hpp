#pragma once

#include "hostmetal/api/task_queue.hpp"

namespace hostmetal::api {

/// Where work with a completion handler is done: never on the caller's thread. The tasks run in an
/// autorelease pool.
void run_in_background(TaskQueue::Task task);

} // namespace hostmetal::api
