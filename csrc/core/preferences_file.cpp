#include "core/preferences_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include <toml++/toml.h>

namespace metalcore {

namespace {

constexpr std::string_view section_name = "metalcore";

std::optional<std::string> text_of(const toml::node &node) {
  if (const auto *text = node.as_string())
    return text->get();
  if (const auto *flag = node.as_boolean())
    return flag->get() ? "true" : "false";
  if (const auto *number = node.as_integer())
    return std::to_string(number->get());
  if (const auto *number = node.as_floating_point()) {
    std::ostringstream text;
    text << number->get();
    return text.str();
  }
  return std::nullopt;
}

/// The content; empty, with a problem noted, when there is none to be had.
std::optional<std::string> read_text(const std::filesystem::path &path, PreferenceFile &file) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found)
    return std::nullopt;
  // Anything but a file could block, or never end.
  if (!error && status.type() != std::filesystem::file_type::regular) {
    file.problems.push_back({0, "it is not a regular file"});
    return std::nullopt;
  }
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  if (stream)
    text << stream.rdbuf();
  if (!stream) {
    file.problems.push_back({0, errno ? std::strerror(errno) : "it cannot be read"});
    return std::nullopt;
  }
  return std::move(text).str();
}

} // namespace

PreferenceFile read_preference_file(const std::filesystem::path &path) {
  PreferenceFile file;
  const auto text = read_text(path, file);
  if (!text)
    return file;
  try {
    const toml::table document = toml::parse(*text);
    for (const auto &[key, node] : document) {
      const uint32_t line = key.source().begin.line;
      if (key.str() != section_name || !node.is_table()) {
        file.problems.push_back(
            {line, '"' + std::string(key.str()) + "\" is not the section [metalcore]"});
        continue;
      }
      for (const auto &[name, value] : *node.as_table())
        file.entries.push_back({std::string(name.str()), text_of(value), name.source().begin.line});
    }
  } catch (const toml::parse_error &error) {
    file.entries.clear();
    file.problems = {{error.source().begin.line,
                      std::string(error.description()) + ", so nothing of the file is used"}};
  }
  std::ranges::stable_sort(file.entries, {}, &PreferenceEntry::line); // a table is sorted by name
  return file;
}

} // namespace metalcore
