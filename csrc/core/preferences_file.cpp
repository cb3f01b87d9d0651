#include "core/preferences_file.hpp"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <sstream>
#include <system_error>

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

} // namespace

std::string read_preference_text(const std::filesystem::path &path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found)
    return {};
  // Anything but a file could block, or never end.
  if (!error && status.type() != std::filesystem::file_type::regular)
    throw std::system_error(EINVAL, std::generic_category(), "it is not a regular file");
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  if (stream && stream.peek() != std::ifstream::traits_type::eof())
    text << stream.rdbuf();
  if (!stream || !text)
    throw std::system_error(errno ? errno : EIO, std::generic_category());
  return std::move(text).str();
}

PreferenceFile read_preference_file(const std::filesystem::path &path) {
  PreferenceFile file;
  try {
    const toml::table document = toml::parse(read_preference_text(path));
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
  } catch (const std::system_error &error) {
    const bool is_no_file = error.code().value() == EINVAL;
    file.problems = {{0, is_no_file ? "it is not a regular file" : error.code().message()}};
  }
  std::ranges::stable_sort(file.entries, {}, &PreferenceEntry::line); // a table is sorted by name
  return file;
}

} // namespace metalcore
