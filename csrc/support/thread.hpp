#pragma once

#include <string>

namespace metalcore::thread {

/// What debuggers and `top` call the calling thread; cut to 15 bytes.
void set_name(const std::string &name);

/// Makes the calling thread give way to threads of normal priority, for good. On Linux, threads
/// that it starts from here on inherit that.
void lower_priority();

/// Seconds of CPU time that the calling thread has used.
double cpu_seconds();

/// How many CPUs this process may keep busy, at least 1.
unsigned allowed_cpus();

} // namespace metalcore::thread
