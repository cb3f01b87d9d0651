#include "hostmetal/api/log_format.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <optional>

#include <sys/uio.h>
#include <unistd.h>

namespace hostmetal::api {
namespace {

constexpr int max_width = 256; // of a field, and of a precision
constexpr size_t max_string = 1024;

/// Takes values off a list of arguments.
class Arguments {
public:
  explicit Arguments(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  /// The next `size` bytes that are aligned to their size, a power of two; empty if there are none.
  std::span<const uint8_t> take(size_t size) {
    const size_t begin = (at_ + size - 1) / size * size;
    if (begin > bytes_.size() || bytes_.size() - begin < size)
      return {};
    at_ = begin + size;
    return bytes_.subspan(begin, size);
  }

private:
  std::span<const uint8_t> bytes_;
  size_t at_ = 0;
};

template <typename T> T read(std::span<const uint8_t> bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

enum class Length { none, hh, h, hl, l };

struct Directive {
  std::string flags;
  int width = 0; ///< 0: none
  std::optional<int> precision;
  size_t vector_size = 1;
  Length length = Length::none;
  char conversion = 0;
};

/// What printf takes: the flags, width and precision, then the length and the conversion.
std::string specification(const Directive &directive, const char *length) {
  std::string text = "%" + directive.flags;
  if (directive.width > 0)
    text += std::to_string(directive.width);
  if (directive.precision)
    text += "." + std::to_string(*directive.precision);
  return text + length + directive.conversion;
}

template <typename T> void print(std::string &text, const std::string &specification, T value) {
  char buffer[max_width + 64];
  // %f of a large double is longer than that.
  const int length = std::snprintf(buffer, sizeof(buffer), specification.c_str(), value);
  if (length < 0)
    return;
  if (static_cast<size_t>(length) < sizeof(buffer)) {
    text.append(buffer, static_cast<size_t>(length));
    return;
  }
  std::string large(static_cast<size_t>(length) + 1, '\0');
  std::snprintf(large.data(), large.size(), specification.c_str(), value);
  text.append(large, 0, static_cast<size_t>(length));
}

/// At most max_string characters of a string that may lie anywhere.
std::string read_string(uint64_t address) {
  std::string text;
  char block[64];
  while (text.size() < max_string) {
    // Never over the end of a page: the next one may not be there.
    const size_t size = sizeof(block) - (address + text.size()) % sizeof(block);
    const iovec to{block, size};
    const iovec from{reinterpret_cast<void *>(address + text.size()), size};
    if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) != static_cast<ssize_t>(size))
      return "(unreadable)";
    const size_t length = strnlen(block, size);
    text.append(block, length);
    if (length < size)
      break;
  }
  return text.substr(0, max_string);
}

bool is_integer(char conversion) {
  return std::strchr("diouxX", conversion) != nullptr;
}
bool is_float(char conversion) {
  return std::strchr("fFeEgGaA", conversion) != nullptr;
}
bool is_signed(char conversion) {
  return conversion == 'd' || conversion == 'i';
}

/// An integer of the element's size, as wide as printf's longest.
void print_integer(std::string &text, const Directive &directive, std::span<const uint8_t> bytes) {
  uint64_t value = 0;
  std::memcpy(&value, bytes.data(), bytes.size());
  const std::string format = specification(directive, "ll");
  if (!is_signed(directive.conversion))
    return print(text, format, static_cast<unsigned long long>(value));
  const unsigned unused = 64 - 8 * static_cast<unsigned>(bytes.size());
  print(text, format, static_cast<long long>(value << unused) >> unused);
}

void print_float(std::string &text, const Directive &directive, std::span<const uint8_t> bytes) {
  const double value = bytes.size() == 2   ? static_cast<double>(read<_Float16>(bytes))
                       : bytes.size() == 4 ? static_cast<double>(read<float>(bytes))
                                           : read<double>(bytes);
  print(text, specification(directive, ""), value);
}

/// Bytes of one element of a vector.
size_t element_size(const Directive &directive) {
  switch (directive.length) {
  case Length::hh:
    return 1;
  case Length::h:
    return 2;
  case Length::none:
  case Length::hl:
    return 4;
  case Length::l:
    return 8;
  }
  return 4;
}

bool print_vector(std::string &text, const Directive &directive, Arguments &arguments) {
  const size_t size = element_size(directive), count = directive.vector_size;
  if (is_float(directive.conversion) ? size < 2 : !is_integer(directive.conversion))
    return false;
  // A vector of three takes the room of four.
  const std::span<const uint8_t> bytes = arguments.take(size * (count == 3 ? 4 : count));
  if (bytes.empty())
    return false;
  for (size_t i = 0; i < count; ++i) {
    if (i > 0)
      text += ',';
    const std::span<const uint8_t> element = bytes.subspan(i * size, size);
    if (is_integer(directive.conversion))
      print_integer(text, directive, element);
    else
      print_float(text, directive, element);
  }
  return true;
}

/// False, and nothing is printed, where there is no such directive or no argument for it.
bool print_value(std::string &text, const Directive &directive, Arguments &arguments) {
  if (directive.vector_size > 1)
    return print_vector(text, directive, arguments);
  const char conversion = directive.conversion;
  const bool is_long = directive.length == Length::l;
  const size_t size = is_integer(conversion) || conversion == 'c' ? (is_long ? 8 : 4) : 8;
  if (!is_integer(conversion) && !is_float(conversion) && !std::strchr("cps", conversion))
    return false;
  const std::span<const uint8_t> bytes = arguments.take(size);
  if (bytes.empty())
    return false;
  if (is_integer(conversion)) {
    // A narrow number was passed as an int.
    const size_t narrow = directive.length == Length::hh  ? 1
                          : directive.length == Length::h ? 2
                                                          : size;
    print_integer(text, directive, bytes.first(narrow));
  } else if (is_float(conversion)) {
    print_float(text, directive, bytes);
  } else if (conversion == 'c') {
    print(text, specification(directive, ""), read<int>(bytes));
  } else if (conversion == 'p') {
    print(text, specification(directive, ""), reinterpret_cast<void *>(read<uint64_t>(bytes)));
  } else {
    print(text, specification(directive, ""), read_string(read<uint64_t>(bytes)).c_str());
  }
  return true;
}

/// Reads what follows a '%'.
class Parser {
public:
  Parser(std::string_view rest, Arguments &arguments) : rest_(rest), arguments_(arguments) {}

  /// Empty where there is no directive.
  std::optional<Directive> parse() {
    Directive directive;
    // An annotation of Apple's log: "%{public}d".
    if (const size_t end = rest_.find('}'); rest_.starts_with('{') && end != rest_.npos)
      rest_.remove_prefix(end + 1);
    while (!rest_.empty() && std::strchr("-+ #0", rest_.front()))
      directive.flags += next();
    const std::optional<int> width = number();
    if (width && *width < 0)
      directive.flags += '-';
    directive.width = std::min(std::abs(width.value_or(0)), max_width);
    if (consume('.')) {
      const int precision = number().value_or(0);
      if (precision >= 0) // a negative one is none
        directive.precision = std::min(precision, max_width);
    }
    if (consume('v')) {
      const std::optional<int> count = number();
      if (!count || (*count != 2 && *count != 3 && *count != 4))
        return std::nullopt;
      directive.vector_size = static_cast<size_t>(*count);
    }
    directive.length = length();
    if (rest_.empty())
      return std::nullopt;
    directive.conversion = next();
    return directive;
  }

  std::string_view rest() const { return rest_; }

private:
  char next() {
    const char character = rest_.front();
    rest_.remove_prefix(1);
    return character;
  }
  bool consume(char wanted) {
    if (!rest_.starts_with(wanted))
      return false;
    rest_.remove_prefix(1);
    return true;
  }
  /// Digits, or the next argument for a '*'.
  std::optional<int> number() {
    if (consume('*')) {
      const std::span<const uint8_t> bytes = arguments_.take(sizeof(int));
      return bytes.empty() ? std::nullopt
                           : std::optional(std::clamp(read<int>(bytes), -max_width, max_width));
    }
    int value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (end == rest_.data() || rest_.front() == '-')
      return std::nullopt;
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    return error == std::errc() ? value : max_width;
  }
  Length length() {
    if (consume('h'))
      return consume('h') ? Length::hh : consume('l') ? Length::hl : Length::h;
    if (consume('l')) {
      consume('l');
      return Length::l;
    }
    return consume('j') || consume('z') || consume('t') || consume('q') ? Length::l : Length::none;
  }

  std::string_view rest_;
  Arguments &arguments_;
};

} // namespace

std::string format_message(std::string_view format, std::span<const uint8_t> argument_bytes) {
  std::string text;
  Arguments arguments(argument_bytes);
  while (!format.empty()) {
    const size_t percent = std::min(format.find('%'), format.size());
    text += format.substr(0, percent);
    format.remove_prefix(percent);
    if (format.starts_with("%%")) {
      text += '%';
      format.remove_prefix(2);
    } else if (!format.empty()) {
      Parser parser(format.substr(1), arguments);
      const std::optional<Directive> directive = parser.parse();
      const size_t length = format.size() - parser.rest().size();
      if (!directive || !print_value(text, *directive, arguments))
        text += format.substr(0, length);
      format.remove_prefix(length);
    }
  }
  return text;
}

} // namespace hostmetal::api
