#include "support/trace.hpp"

#include "support/file_descriptor.hpp"
#include "support/fork.hpp"
#include "support/log.hpp"

#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <thread>

#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <unistd.h>

namespace metalcore::trace {

constinit std::atomic<bool> detail::is_on = false;

namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr auto longest_wait = 50ms;         // for threads in the middle of an event
constexpr uint64_t first_track = 1'000'000; // beyond the numbers of threads

/// The file of one process. Its descriptor is never closed: threads write while the process ends.
struct File {
  fs::path wish; ///< as the user gave it
  uint64_t generation = 0;
  int descriptor = -1;
};

Guarded<File> &file() {
  const fork::Section section; // the initialisation has a lock
  static auto &current = *new Guarded<File>;
  return current;
}

constinit std::atomic<uint32_t> writers = 0;
constinit std::atomic<uint64_t> next_thread = 1;
constinit std::atomic<uint64_t> next_track = first_track;

/// The calling thread as the file knows it.
struct Thread {
  uint64_t number = 0;
  uint64_t named_in = ~uint64_t{0}; ///< the generation whose file has its name
};
constinit thread_local Thread this_thread;

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", byte);
      result += code;
    } else {
      if (c == '"' || c == '\\')
        result += '\\';
      result += c;
    }
  }
  return result + '"';
}

std::string microseconds(int64_t nanoseconds) {
  char text[40];
  std::snprintf(text, sizeof text, "%lld.%03lld", static_cast<long long>(nanoseconds / 1000),
                static_cast<long long>(nanoseconds % 1000));
  return text;
}

/// An event with the fields that all have; `more` begins with a comma.
std::string event(char phase, std::string_view name, uint64_t track, const std::string &more) {
  return std::string(R"({"ph":")") + phase + R"(","name":)" + quoted(name) +
         ",\"pid\":" + std::to_string(::getpid()) + ",\"tid\":" + std::to_string(track) + more +
         '}';
}

std::string with_arguments(const char *category, const Arguments &arguments) {
  return std::string(",\"cat\":\"") + category + "\",\"args\":{" + arguments.json() + '}';
}

std::string naming(const char *what, std::string_view name, uint64_t track) {
  return event('M', what, track, ",\"args\":{\"name\":" + quoted(name) + '}') + ",\n";
}

bool write_all(int descriptor, std::string_view text) {
  return write_fully(descriptor, text.data(), text.size());
}

fs::path with_process_number(const fs::path &wish) {
  fs::path path = wish;
  path.replace_extension();
  path += '.' + std::to_string(::getpid());
  return path += wish.extension();
}

/// "%p" replaced; false where there is none.
bool expand(std::string &text) {
  const auto place = text.find("%p");
  if (place == std::string::npos)
    return false;
  text.replace(place, 2, std::to_string(::getpid()));
  return true;
}

/// An empty file with the array's begin; -1 and errno on failure.
int open_file(const fs::path &wish, bool is_forked) {
  constexpr int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC;
  std::string text = wish.string();
  const bool has_number = expand(text);
  fs::path path = is_forked && !has_number ? with_process_number(text) : fs::path(text);
  int descriptor = ::open(path.c_str(), flags, 0666);
  // The lock lasts as long as the process: another one that has it still writes.
  if (descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(descriptor);
    descriptor = ::open(with_process_number(text).c_str(), flags, 0666);
  }
  if (descriptor < 0)
    return -1;
  // Of a device or a pipe there is nothing to cut off.
  if ((ftruncate(descriptor, 0) != 0 && errno != EINVAL) ||
      !write_all(descriptor, "[\n" + naming("process_name", "metalcore", 0))) {
    const int reason = errno;
    ::close(descriptor);
    errno = reason;
    return -1;
  }
  return descriptor;
}

std::string failure(const fs::path &wish) {
  return "The trace file \"" + wish.string() + "\" cannot be written: " + std::strerror(errno) +
         '.';
}

void give_up(const std::string &why) {
  if (detail::is_on.exchange(false))
    log::warning(why);
}

/// This process's file; -1 where there is none (yet).
int descriptor() {
  struct Seen {
    fs::path wish; ///< to be opened by the caller
    int descriptor;
  };
  const Seen seen = file().with([](File &current) -> Seen {
    if (current.generation == fork::generation())
      return {{}, current.descriptor};
    current.generation = fork::generation();
    current.descriptor = -1;
    return {current.wish, -1};
  });
  if (seen.wish.empty())
    return seen.descriptor;
  const int opened = open_file(seen.wish, /*is_forked=*/true);
  if (opened < 0)
    give_up(failure(seen.wish));
  file().with([&](File &current) { current.descriptor = opened; });
  return opened;
}

/// Appends whole lines. The section keeps a fork from cutting a line in two, and the count lets
/// stop() wait.
void write(const std::string &lines) {
  const int target = descriptor();
  if (target < 0)
    return;
  int reason = 0;
  {
    const fork::Section section;
    ++writers;
    if (is_on() && !write_all(target, lines))
      reason = errno;
    --writers;
  }
  if (reason != 0)
    give_up("Tracing ends, because its file cannot be written: " +
            std::string(std::strerror(reason)) + '.');
}

/// The number of the calling thread, and its name where the file does not have it yet.
std::string name_of_thread() {
  if (this_thread.number == 0)
    this_thread.number = next_thread++;
  if (this_thread.named_in == fork::generation())
    return {};
  this_thread.named_in = fork::generation();
  char name[64] = "";
  pthread_getname_np(pthread_self(), name, sizeof name);
  return naming("thread_name", name, this_thread.number);
}

void write_interval(const char *category, std::string_view name, uint64_t track, int64_t begin,
                    int64_t end, const Arguments &arguments, std::string before) {
  write(before
            .append(event('X', name, track,
                          ",\"ts\":" + microseconds(begin) + ",\"dur\":" +
                              microseconds(end - begin) + with_arguments(category, arguments)))
            .append(",\n"));
}

} // namespace

std::optional<std::string> start(const fs::path &wish) {
  const int opened = open_file(wish, /*is_forked=*/false);
  if (opened < 0)
    return failure(wish);
  file().with([&](File &current) { current = {wish, fork::generation(), opened}; });
  detail::is_on = true;
  return std::nullopt;
}

void stop() noexcept {
  if (!detail::is_on.exchange(false))
    return;
  const auto deadline = std::chrono::steady_clock::now() + longest_wait;
  while (writers > 0 && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(100us);
  try {
    const int target = file().with([](const File &current) {
      return current.generation == fork::generation() ? current.descriptor : -1;
    });
    if (target >= 0)
      write_all(target, name_of_thread() +
                            event('i', "end", this_thread.number,
                                  ",\"ts\":" + microseconds(host_nanoseconds()) + ",\"s\":\"p\"") +
                            "\n]\n");
  } catch (...) {
    // Without memory the array stays open, which the viewers do not mind.
  }
}

Arguments &Arguments::add(std::string_view name, std::string_view value) {
  json_ += (json_.empty() ? "" : ",") + quoted(name) + ':' + quoted(value);
  return *this;
}

Arguments &Arguments::add(std::string_view name, uint64_t value) {
  json_ += (json_.empty() ? "" : ",") + quoted(name) + ':' + std::to_string(value);
  return *this;
}

void Span::begin(const char *category, std::string_view name) noexcept {
  try {
    name_ = name;
    category_ = category;
    begin_ = host_nanoseconds();
  } catch (...) {
    // Out of memory: the timeline lacks one interval.
  }
}

void Span::end() noexcept {
  const int64_t now = host_nanoseconds();
  try {
    if (is_on()) {
      std::string before = name_of_thread();
      write_interval(category_, name_, this_thread.number, begin_, now, arguments_,
                     std::move(before));
    }
  } catch (...) {
    // As above.
  }
}

void instant(const char *category, std::string_view name, const Arguments &arguments) noexcept {
  if (!is_on())
    return;
  const int64_t now = host_nanoseconds();
  try {
    const std::string before = name_of_thread();
    write(before +
          event('i', name, this_thread.number,
                ",\"ts\":" + microseconds(now) + ",\"s\":\"t\"" +
                    with_arguments(category, arguments)) +
          ",\n");
  } catch (...) {
    // As above.
  }
}

void Track::interval(const char *category, std::string_view name, double begin, double end,
                     const Arguments &arguments) noexcept {
  if (!is_on())
    return;
  const auto first = std::llround(begin * 1e9), last = std::max(first, std::llround(end * 1e9));
  try {
    std::string before;
    const uint64_t number = state_.with([&](State &state) {
      if (state.generation != fork::generation())
        state = {};
      for (Lane &lane : state.lanes)
        if (lane.end <= first) {
          lane.end = last;
          return lane.number;
        }
      state.lanes.push_back({next_track++, last});
      const std::size_t count = state.lanes.size();
      before = naming("thread_name", name_ + (count > 1 ? " (" + std::to_string(count) + ')' : ""),
                      state.lanes.back().number);
      return state.lanes.back().number;
    });
    write_interval(category, name, number, first, last, arguments, std::move(before));
  } catch (...) {
    // As above.
  }
}

} // namespace metalcore::trace
