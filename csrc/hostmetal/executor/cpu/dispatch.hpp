#pragma once

#include "hostmetal/executor/cpu/worker.hpp"
#include "hostmetal/executor/executor.hpp"

#include <stdexcept>
#include <string>

namespace hostmetal::cpu {

/// The functions of a kernel called each other deeper than a thread's stack reaches.
class StackOverflow : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Runs one dispatch to its end on the calling thread and, where that pays, on the worker pool, so
/// that `thread_count` threads take part. Returns why it failed, in one sentence; empty on success.
/// Throws StackOverflow.
std::string run_dispatch(const Dispatch &dispatch, Worker &worker, uint32_t thread_count);
/// The same with the group counts read from memory.
std::string run_dispatch(const DispatchIndirect &dispatch, Worker &worker, uint32_t thread_count);

} // namespace hostmetal::cpu
