// Kernels written by hand against the ABI, as compiled MSL is, and what it takes to dispatch them.
#pragma once

#include "hostmetal/executor/executor.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>

#include <future>

namespace hostmetal::test {

inline const HmThreadHead &head(const HmThread *thread) {
  return *reinterpret_cast<const HmThreadHead *>(thread);
}

template <typename T> T *argument(const HmGroup *group, size_t slot) {
  return static_cast<T *>(group->grid->arguments[slot]);
}

template <typename T> T *threadgroup_argument(const HmGroup *group, size_t slot) {
  return reinterpret_cast<T *>(group->threadgroup_memory +
                               reinterpret_cast<uintptr_t>(group->grid->arguments[slot]));
}

inline void barrier(const HmGroup *group, HmThread *thread) {
  group->grid->runtime->threadgroup_barrier(thread);
}

template <typename T>
const HmSimdFrame &exchange(const HmGroup *group, HmThread *thread, uint64_t site, const T &value) {
  return *group->grid->runtime->simd_exchange(thread, site, &value, sizeof(T));
}

template <typename T> T value_of(const HmSimdFrame &frame, uint32_t lane) {
  T value;
  std::memcpy(&value, frame.values[lane], sizeof(T));
  return value;
}

/// Global id of a thread in its grid, x first.
inline uint64_t grid_index(const HmGroup *group, uint32_t x, uint32_t y, uint32_t z) {
  const uint32_t *grid = group->grid->threads_per_grid;
  return (uint64_t{group->origin[2] + z} * grid[1] + group->origin[1] + y) * grid[0] +
         group->origin[0] + x;
}
inline uint64_t grid_index(const HmGroup *group, const HmThread *thread) {
  const uint32_t *position = head(thread).position;
  return grid_index(group, position[0], position[1], position[2]);
}

struct Shape {
  uint32_t buffers = 1;
  uint32_t threadgroup_arguments = 0; ///< their slots follow those of the buffers
  uint32_t static_threadgroup_memory = 0;
  bool regroupable = false;
};

inline std::shared_ptr<const Kernel> make_kernel(HmKernelCode code, const Shape &shape = {}) {
  image::Kernel reflection;
  reflection.name = "test";
  reflection.regroupable = shape.regroupable;
  reflection.static_threadgroup_memory = shape.static_threadgroup_memory;
  for (uint32_t i = 0; i < shape.buffers + shape.threadgroup_arguments; ++i) {
    image::Argument &argument = reflection.arguments.emplace_back();
    argument.index = i;
    if (i >= shape.buffers)
      argument.kind = image::ArgumentKind::threadgroup_memory;
  }
  return cpu_executor()->load(reflection, code, nullptr);
}
inline std::shared_ptr<const Kernel> make_kernel(HmRowFunction function, const Shape &shape = {}) {
  return make_kernel(HmKernelCode{function, nullptr}, shape);
}
inline std::shared_ptr<const Kernel> make_kernel(HmThreadFunction function,
                                                 const Shape &shape = {}) {
  return make_kernel(HmKernelCode{nullptr, function}, shape);
}

inline Dispatch make_dispatch(std::shared_ptr<const Kernel> kernel, std::vector<void *> buffers,
                              Size3 threads, Size3 threads_per_threadgroup,
                              std::vector<uint32_t> threadgroup_lengths = {}) {
  Dispatch dispatch;
  const size_t slots = kernel->reflection().arguments.size();
  dispatch.kernel = std::move(kernel);
  dispatch.threadgroup_lengths.assign(buffers.size(), 0);
  dispatch.argument_sizes.assign(slots, 0);
  dispatch.threadgroup_lengths.insert(dispatch.threadgroup_lengths.end(),
                                      threadgroup_lengths.begin(), threadgroup_lengths.end());
  dispatch.arguments = std::move(buffers);
  dispatch.arguments.resize(slots);
  dispatch.threadgroup_lengths.resize(slots);
  dispatch.threads_per_grid = threads;
  dispatch.threads_per_threadgroup = threads_per_threadgroup;
  return dispatch;
}

/// What a callback tells the test. Copies are one and the same, so that a callback that is still in
/// set() does not touch a test that has ended.
template <typename T> class Answer {
public:
  void set(T value) const { state_->set_value(std::move(value)); }
  T get() const { return state_->get_future().get(); } ///< once

private:
  std::shared_ptr<std::promise<T>> state_ = std::make_shared<std::promise<T>>();
};

/// Runs commands to their end.
inline Outcome run(Stream &stream, std::vector<Command> commands) {
  const Answer<Outcome> end;
  stream.submit(std::move(commands), nullptr, [end](const Outcome &outcome) { end.set(outcome); });
  return end.get();
}
inline Outcome run(Command command) {
  const auto stream = cpu_executor()->make_stream();
  std::vector<Command> commands;
  commands.push_back(std::move(command));
  return run(*stream, std::move(commands));
}

} // namespace hostmetal::test
