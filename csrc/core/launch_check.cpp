#include "core/launch_check.hpp"

#include "metalcore/error.hpp"

#include <limits>
#include <stdexcept>

namespace metalcore {

namespace {

using Kind = LaunchValue::Kind;

std::string number(std::size_t value) {
  return std::to_string(value);
}

std::string bytes_text(std::size_t count) {
  return number(count) + (count == 1 ? " byte" : " bytes");
}

/// "2048", "64 x 64 = 4096"
std::string size_text(const Size3 &size) {
  if (size[1] == 1 && size[2] == 1)
    return number(size[0]);
  std::string text = number(size[0]) + " x " + number(size[1]);
  if (size[2] != 1)
    text += " x " + number(size[2]);
  return text;
}

/// `argument "x" (2 of 4) of kernel "saxpy"`
std::string place(const LaunchLimits &limits, std::size_t position) {
  return "argument \"" + limits.arguments[position].name + "\" (" + number(position + 1) + " of " +
         number(limits.arguments.size()) + ") of kernel \"" + limits.kernel + '"';
}

std::string with_capital(std::string text) {
  text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

[[noreturn]] void refuse(const std::string &message) {
  throw std::invalid_argument(message);
}

void check_buffer(const LaunchLimits &limits, std::size_t position, const LaunchValue &value) {
  const Argument &argument = limits.arguments[position];
  if (value.offset > value.length)
    refuse("Offset (" + number(value.offset) + ") for " + place(limits, position) +
           " is larger than its buffer (" + bytes_text(value.length) + ").");
  if (argument.type_alignment > 0 && value.offset % argument.type_alignment != 0)
    refuse("Offset (" + number(value.offset) + ") for " + place(limits, position) +
           " is not a multiple of its alignment (" + bytes_text(argument.type_alignment) + ").");
  const std::size_t rest = value.length - value.offset;
  if (rest < argument.type_size && (rest > 0 || argument.is_reference))
    refuse(with_capital(place(limits, position)) + " needs " + bytes_text(argument.type_size) +
           ", but its buffer holds " + bytes_text(rest) + " from the offset on.");
}

void check_bytes(const LaunchLimits &limits, std::size_t position, const LaunchValue &value) {
  const Argument &argument = limits.arguments[position];
  if (argument.access != Access::read_only)
    refuse(with_capital(place(limits, position)) +
           " is written to by the kernel, so it takes a buffer, not a value.");
  if (value.length == 0)
    refuse(with_capital(place(limits, position)) + " was given a value of 0 bytes.");
  if (value.length > most_bytes)
    refuse("Value (" + bytes_text(value.length) + ") for " + place(limits, position) +
           " is larger than the limit (" + bytes_text(most_bytes) + "); pass a buffer.");
  if (value.length < argument.type_size)
    refuse(with_capital(place(limits, position)) + " needs " + bytes_text(argument.type_size) +
           ", but was given a value of " + bytes_text(value.length) + '.');
}

void check_arguments(const LaunchLimits &limits, std::span<const LaunchValue> values) {
  if (values.size() != limits.arguments.size())
    refuse("Kernel \"" + limits.kernel + "\" takes " + number(limits.arguments.size()) +
           (limits.arguments.size() == 1 ? " argument" : " arguments") + ", but " +
           number(values.size()) + (values.size() == 1 ? " was given." : " were given."));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool takes_memory = limits.arguments[i].kind == ArgumentKind::threadgroup_memory;
    const bool has_memory = values[i].kind == Kind::threadgroup_memory;
    if (takes_memory && !has_memory)
      refuse(with_capital(place(limits, i)) + " takes a length of threadgroup memory.");
    if (!takes_memory && has_memory)
      refuse(with_capital(place(limits, i)) +
             " takes a buffer or a value, not threadgroup memory.");
    if (values[i].kind == Kind::buffer)
      check_buffer(limits, i, values[i]);
    else if (values[i].kind == Kind::bytes)
      check_bytes(limits, i, values[i]);
    else if (values[i].length == 0)
      refuse("Threadgroup memory of 0 bytes was given for " + place(limits, i) + '.');
  }
}

void check_threadgroup_memory(const LaunchLimits &limits, std::span<const LaunchValue> values) {
  std::size_t total = limits.static_threadgroup_memory;
  for (const LaunchValue &value : values)
    if (value.kind == Kind::threadgroup_memory) {
      // Each length first, so that the sum cannot wrap around.
      total = value.length > limits.max_threadgroup_memory
                  ? value.length
                  : total + rounded_threadgroup_memory(value.length);
      if (total > limits.max_threadgroup_memory)
        throw Error(ErrorKind::launch, "Threadgroup memory (" + bytes_text(total) +
                                           ") of kernel \"" + limits.kernel +
                                           "\" is larger than the device's limit (" +
                                           bytes_text(limits.max_threadgroup_memory) + ").");
    }
}

void check_group_size(const LaunchLimits &limits, const Size3 &size) {
  if (size[0] == 0 || size[1] == 0 || size[2] == 0)
    refuse("Threadgroup size (" + size_text(size) + ") has an axis of length 0.");
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (size[axis] > limits.max_group_size[axis] && size[axis] > limits.max_total_threads)
      throw Error(ErrorKind::launch, "Threadgroup size (" + size_text(size) +
                                         ") is larger than the limit (" +
                                         number(limits.max_total_threads) + ") of pipeline \"" +
                                         limits.kernel + "\".");
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (size[axis] > limits.max_group_size[axis])
      throw Error(ErrorKind::launch, "Threadgroup size (" + size_text(size) +
                                         ") is larger than the device's limit (" +
                                         size_text(limits.max_group_size) + ").");
  // No axis is above 2^20 on any device, so the product cannot wrap around.
  const std::size_t total = size[0] * size[1] * size[2];
  if (total > limits.max_total_threads)
    throw Error(ErrorKind::launch, "Threadgroup size (" + size_text(size) +
                                       (size[1] == 1 && size[2] == 1 ? "" : " = " + number(total)) +
                                       ") is larger than the limit (" +
                                       number(limits.max_total_threads) + ") of pipeline \"" +
                                       limits.kernel + "\".");
}

void check_grid(const LaunchLimits &limits, const Size3 &threads) {
  constexpr std::size_t most = std::numeric_limits<uint32_t>::max(); // positions are 32 bits wide
  for (std::size_t length : threads)
    if (length > most)
      throw Error(ErrorKind::launch, "Grid (" + size_text(threads) + " threads) of kernel \"" +
                                         limits.kernel + "\" is larger than the limit (" +
                                         number(most) + ") of an axis.");
}

} // namespace

std::size_t rounded_threadgroup_memory(std::size_t length) {
  return (length + threadgroup_memory_granule - 1) / threadgroup_memory_granule *
         threadgroup_memory_granule;
}

void check_launch(const LaunchLimits &limits, std::span<const LaunchValue> values,
                  const Size3 &threads, const Size3 &group_size) {
  check_arguments(limits, values);
  check_grid(limits, threads);
  check_group_size(limits, group_size);
  check_threadgroup_memory(limits, values);
}

void check_range(const std::string &what, std::size_t offset, std::size_t length,
                 std::size_t buffer_length) {
  if (offset > buffer_length || length > buffer_length - offset)
    refuse(what + " (" + bytes_text(length) + " from offset " + number(offset) +
           " on) reaches beyond its buffer (" + bytes_text(buffer_length) + ").");
}

} // namespace metalcore
