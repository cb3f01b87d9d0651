#include "core/source_headers.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <vector>

namespace metalcore {

namespace {

using Headers = std::map<std::string, std::string>;

constexpr std::string_view source_name = "program_source"; // as Metal calls it
constexpr std::size_t largest_source = std::size_t{64} << 20;

struct Include {
  std::string name;
  bool is_quoted;
};

/// What a directive is, without the blanks of C: "include \"a.h\"". Empty: the line is none.
std::string_view directive(std::string_view line) {
  const auto skip_blanks = [&] {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  };
  skip_blanks();
  if (line.empty() || line[0] != '#')
    return {};
  line.remove_prefix(1);
  skip_blanks();
  return line;
}

std::optional<std::string_view> argument_of(std::string_view line, std::string_view word) {
  std::string_view rest = directive(line);
  if (!rest.starts_with(word))
    return std::nullopt;
  rest.remove_prefix(word.size());
  const auto begin = std::min(rest.find_first_not_of(" \t"), rest.size());
  if (begin == 0 && !rest.empty() && rest[0] != '"' && rest[0] != '<')
    return std::nullopt;
  rest.remove_prefix(begin);
  const auto end = rest.find_last_not_of(" \t\r");
  return rest.substr(0, end == std::string_view::npos ? 0 : end + 1);
}

std::optional<Include> include_of(std::string_view line) {
  const auto argument = argument_of(line, "include");
  if (!argument || argument->empty())
    return std::nullopt;
  const char closing = argument->front() == '"' ? '"' : '>';
  if (argument->front() != '"' && argument->front() != '<')
    return std::nullopt;
  const auto end = argument->find(closing, 1);
  if (end == std::string_view::npos)
    return std::nullopt;
  return Include{std::string(argument->substr(1, end - 1)), closing == '"'};
}

bool is_once(std::string_view line) {
  const auto argument = argument_of(line, "pragma");
  return argument && argument->starts_with("once");
}

/// Calls `use` with each line, without its end, and whether a comment began before it.
template <typename Use> void for_lines(std::string_view text, Use &&use) {
  bool in_comment = false;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    use(line, in_comment);
    char quote = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const std::string_view pair = line.substr(i, 2);
      if (in_comment) {
        if (pair == "*/")
          in_comment = false, ++i;
      } else if (quote != 0) {
        if (line[i] == '\\')
          ++i;
        else if (line[i] == quote)
          quote = 0;
      } else if (pair == "//") {
        break;
      } else if (pair == "/*") {
        in_comment = true, ++i;
      } else if (line[i] == '"') {
        quote = line[i];
      }
    }
  }
}

/// "#ifndef X" and "#define X" before all other directives: what follows a second time is nothing.
bool has_guard(std::string_view text) {
  std::vector<std::string_view> directives;
  for_lines(text, [&](std::string_view line, bool in_comment) {
    if (!in_comment && directives.size() < 2 && !directive(line).empty())
      directives.push_back(line);
  });
  if (directives.size() < 2)
    return false;
  const auto tested = argument_of(directives[0], "ifndef");
  const auto defined = argument_of(directives[1], "define");
  return tested && defined && !tested->empty() && defined->starts_with(*tested);
}

std::string in_quotes(std::string_view name) {
  return '"' + std::string(name) + '"';
}

class Expansion {
public:
  explicit Expansion(const Headers &headers) : headers_(headers) {}

  std::string take() { return std::move(text_); }

  // NOLINTNEXTLINE(misc-no-recursion): headers do not include themselves
  void add(std::string_view name, std::string_view text) {
    std::size_t number = 0;
    for_lines(text, [&](std::string_view line, bool in_comment) {
      ++number;
      const auto include = in_comment ? std::nullopt : include_of(line);
      const auto header = include ? find(*include, name) : headers_.end();
      if (header == headers_.end()) {
        if (in_comment || !is_once(line) || name == source_name)
          text_ += line;
        text_ += '\n';
      } else {
        add_header(*header);
        place(number + 1, name, "2");
      }
      if (text_.size() > largest_source)
        throw std::invalid_argument(
            "The source with its headers is larger than the limit (64 MiB).");
    });
  }

private:
  Headers::const_iterator find(const Include &include, std::string_view includer) const {
    const auto slash = includer.rfind('/');
    if (include.is_quoted && slash != std::string_view::npos)
      if (const auto beside =
              headers_.find(std::string(includer.substr(0, slash + 1)) + include.name);
          beside != headers_.end())
        return beside;
    return headers_.find(include.name);
  }

  // NOLINTNEXTLINE(misc-no-recursion)
  void add_header(const Headers::value_type &header) {
    const auto &[name, text] = header;
    bool once = false;
    for_lines(text, [&](std::string_view line, bool in_comment) {
      once |= !in_comment && is_once(line);
    });
    place(1, name, "1");
    if (std::ranges::find(open_, name) != open_.end()) {
      if (!once && !has_guard(text))
        throw std::invalid_argument("The header " + in_quotes(name) +
                                    " includes itself, and has no guard against that.");
      return;
    }
    // The guard is a macro and not a note in here: the header's first place may lie in a condition
    // that does not hold.
    const std::string guard = "METALCORE_HEADER_" + std::to_string(number_of(name));
    if (once)
      text_ += "#ifndef " + guard + "\n#define " + guard + "\n# 1 " + in_quotes(name) + "\n";
    open_.push_back(name);
    add(name, text);
    open_.pop_back();
    if (once)
      text_ += "#endif\n";
  }

  std::ptrdiff_t number_of(const std::string &name) const {
    return std::distance(headers_.begin(), headers_.find(name));
  }

  /// What follows is said to be that line; `flag` is 1 where a file begins, 2 where one goes on.
  void place(std::size_t line, std::string_view name, std::string_view flag) {
    ((text_ += "# ") += std::to_string(line)) += ' ';
    ((text_ += in_quotes(name)) += ' ') += flag;
    text_ += '\n';
  }

  const Headers &headers_;
  std::vector<std::string> open_;
  std::string text_;
};

void check_name(const std::string &name) {
  const auto is_odd = [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '<' || c == '>' || c == '\\';
  };
  if (name.empty() || name == source_name || std::ranges::any_of(name, is_odd))
    throw std::invalid_argument("A header cannot have the name " + in_quotes(name) + '.');
}

} // namespace

std::string with_headers(std::string_view source, const Headers &headers) {
  for (const auto &[name, text] : headers)
    check_name(name);
  if (headers.empty())
    return std::string(source);
  Expansion expansion(headers);
  expansion.add(source_name, source);
  return expansion.take();
}

} // namespace metalcore
