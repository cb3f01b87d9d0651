#pragma once

#include "hostmetal/image/abi.h"
#include "hostmetal/image/copy_pixels.hpp"
#include "hostmetal/image/reflection.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace hostmetal {

/// Storage modes with the values of MTLStorageMode.
enum class StorageMode : uint8_t { shared = 0, managed = 1, private_ = 2 };

/// Memory that kernels can reach. Freed by its destructor, which must not run before the work that
/// uses it ends.
class Allocation {
public:
  virtual ~Allocation() = default;
  virtual void *host_pointer() const = 0; ///< never null for size > 0
  virtual uint64_t size() const = 0;      ///< bytes
  /// The device's copy must hold what the host wrote / the host's must hold what the device wrote.
  /// No-ops where they are one.
  virtual void will_read() {}
  virtual void will_write() {}
  virtual void host_touched(uint64_t offset, uint64_t size) { (void)offset, (void)size; }
};

/// A kernel ready to be dispatched; immutable.
class Kernel {
public:
  virtual ~Kernel() = default;
  virtual const image::Kernel &reflection() const = 0;
};

/// A 64-bit value that only grows, waited on and signalled from host and streams. Thread-safe.
class Event {
public:
  virtual ~Event() = default;
  virtual uint64_t value() const = 0;
  virtual void
  signal(uint64_t value) = 0; ///< from the host; values below the present one are ignored
  /// False when `timeout_ms` passed first; UINT64_MAX waits for ever.
  virtual bool wait(uint64_t value, uint64_t timeout_ms) = 0;
  /// Calls back once, on a thread of the executor's, when the value is reached (at once if it has
  /// been).
  virtual void notify(uint64_t value, std::function<void(uint64_t)> callback) = 0;
};

/// A message of a kernel's. The views end with the call that hands it over.
struct KernelMessage {
  std::string_view subsystem, category;
  uint32_t type; ///< os_log_type of MSL
  std::string_view format;
  std::span<const uint8_t> arguments; ///< HmRuntime::log says how they lie
};

/// Where kernels' messages go.
class KernelLog {
public:
  virtual ~KernelLog() = default;
  /// Called while the kernel runs, by several threads at once; must not throw.
  virtual void write(const KernelMessage &message) noexcept = 0;
};

using Size3 = std::array<uint32_t, 3>;

struct Dispatch {
  std::shared_ptr<const Kernel> kernel;
  /// By slot: what HmGrid.arguments holds (threadgroup arguments: null), and the bytes there are
  /// from it.
  std::vector<void *> arguments;
  std::vector<uint64_t> argument_sizes;
  std::vector<uint32_t> threadgroup_lengths; ///< by slot; 0 for other kinds
  Size3 threads_per_grid;                    ///< exact: groups at the edges may be smaller
  Size3 threads_per_threadgroup;
  std::shared_ptr<KernelLog> log = nullptr; ///< null: messages are dropped
  /// What some of the arguments point to.
  std::vector<std::shared_ptr<void *[]>> argument_arrays = {};
};
/// Group counts come from memory, read when the command runs: three uint32.
struct DispatchIndirect {
  Dispatch dispatch; ///< threads_per_grid is computed
  const void *threadgroups;
};
struct Copy {
  void *destination;
  const void *source;
  uint64_t size;
};
struct Fill {
  void *destination;
  uint8_t value;
  uint64_t size;
};
struct GenerateMipmaps {
  const HmTexture *texture;
  bool is_volume;
};
struct Wait {
  std::shared_ptr<Event> event;
  uint64_t value;
};
struct Signal {
  std::shared_ptr<Event> event;
  uint64_t value;
};
/// Commands run in order, each sees the writes of those before it.
using Command = std::variant<Dispatch, DispatchIndirect, Copy, Fill, image::CopyPixels,
                             GenerateMipmaps, Wait, Signal>;

/// How a submission ended.
struct Outcome {
  std::string error;              ///< empty: success
  bool is_stack_overflow = false; ///< the error is that a kernel's functions called too deep
  double start = 0;               ///< seconds, on the clock of Executor::now
  double end = 0;
};

/// An ordered list of submissions. Two streams run concurrently. Thread-safe.
class Stream {
public:
  virtual ~Stream() = default; ///< waits for what was submitted
  /// Runs the commands after all that was submitted before; calls `scheduled` before the first, and
  /// `completed` after the last, both on a thread of the executor's. The callbacks may submit, and
  /// may not wait for this stream. After a command that fails, the rest of its submission is
  /// skipped but for the signals. Throws std::system_error when no thread can be started for the
  /// stream.
  virtual void submit(std::vector<Command> commands, std::function<void()> scheduled,
                      std::function<void(const Outcome &)> completed) = 0;
};

/// A device that runs kernels. One per process; thread-safe.
class Executor {
public:
  virtual ~Executor() = default;
  virtual std::string name() const = 0;      ///< "AMD EPYC 9354" …
  virtual uint64_t memory_size() const = 0;  ///< bytes that this process may use
  virtual uint32_t thread_count() const = 0; ///< threads that run kernels
  virtual double now() const = 0;            ///< seconds, monotonic
  /// Zero-filled, aligned to a page; throws std::bad_alloc.
  virtual std::unique_ptr<Allocation> allocate(uint64_t size, StorageMode mode) = 0;
  virtual std::unique_ptr<Allocation> wrap(void *host_pointer, uint64_t size) = 0;
  /// `owner` keeps the code mapped.
  virtual std::shared_ptr<const Kernel> load(image::Kernel reflection, HmKernelCode code,
                                             std::shared_ptr<const void> owner) = 0;
  virtual std::unique_ptr<Stream> make_stream() = 0;
  virtual std::shared_ptr<Event> make_event(uint64_t value) = 0;
};

/// The CPU executor of this process; a forked child gets a fresh one.
/// The environment variable HOSTMETAL_CPU_THREADS limits its threads; default: the CPUs that the
/// process may use. Throws std::invalid_argument when it is not a whole number from 1 to 1024.
std::shared_ptr<Executor> cpu_executor();

} // namespace hostmetal
