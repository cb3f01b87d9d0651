#include "core/preferences_editor.hpp"

#include "core/preferences_file.hpp"
#include "support/file_descriptor.hpp"
#include "support/replace_file.hpp"

#include <cerrno>
#include <stdexcept>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <toml++/toml.h>

namespace metalcore {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view section_name = "metalcore";

toml::table parse(const std::string &text) {
  try {
    return toml::parse(text);
  } catch (const toml::parse_error &error) {
    throw std::invalid_argument("line " + std::to_string(error.source().begin.line) + ": " +
                                std::string(error.description()));
  }
}

/// The document that the edited text has to have.
toml::table expected(const std::string &text, std::string_view name,
                     const std::optional<std::string> &literal) {
  toml::table document = parse(text);
  if (!document.contains(section_name))
    document.insert(section_name, toml::table());
  toml::table *section = document[section_name].as_table();
  if (!section)
    throw std::invalid_argument("\"metalcore\" is not a section");
  section->erase(name);
  if (literal)
    section->insert(name, std::move(*parse("value = " + *literal).get("value")));
  if (section->empty()) // an empty section and none mean the same
    document.erase(section_name);
  return document;
}

bool means(const std::string &text, const toml::table &document) {
  toml::table found = parse(text);
  if (const auto *section = found[section_name].as_table(); section && section->empty())
    found.erase(section_name);
  return found == document;
}

/// Where a position of the parser, which counts code points, is in the text.
std::size_t offset_of(const std::string &text, const toml::source_position &position) {
  std::size_t offset = 0;
  for (auto line = position.line; line > 1 && offset < text.size(); --line)
    offset = std::min(text.find('\n', offset), text.size() - 1) + 1;
  for (auto column = position.column; column > 1 && offset < text.size(); --column)
    do
      ++offset;
    while (offset < text.size() && (static_cast<unsigned char>(text[offset]) & 0xc0) == 0x80);
  return offset;
}

std::size_t line_begin(const std::string &text, std::size_t offset) {
  const auto before = offset == 0 ? std::string::npos : text.rfind('\n', offset - 1);
  return before == std::string::npos ? 0 : before + 1;
}

/// Behind the end of the line.
std::size_t line_end(const std::string &text, std::size_t offset) {
  const auto end = text.find('\n', offset);
  return end == std::string::npos ? text.size() : end + 1;
}

const char *line_break(const std::string &text) {
  return text.find("\r\n") == std::string::npos ? "\n" : "\r\n";
}

std::string insert_line(std::string text, std::size_t offset, const std::string &line) {
  const std::string end = line_break(text);
  const bool is_open = offset > 0 && text[offset - 1] != '\n';
  return text.insert(offset, (is_open ? end : "") + line + end);
}

/// Behind the section's last line, in its manner; at the end of the file where there is none.
std::string insert(const std::string &text, const toml::table &document, const std::string &entry) {
  const auto *section = document[section_name].as_table();
  if (!section) {
    const std::string end = line_break(text);
    return insert_line(text, text.size(),
                       (text.empty() ? "" : end) + '[' + std::string(section_name) + ']' + end +
                           entry);
  }
  std::size_t place = offset_of(text, section->source().begin);
  std::string before;
  for (const auto &[key, value] : *section) {
    const std::size_t end = offset_of(text, value.source().end);
    if (value.is_table() || end <= place)
      continue;
    place = end;
    const std::size_t begin = offset_of(text, key.source().begin);
    before = text.substr(line_begin(text, begin), begin - line_begin(text, begin));
  }
  return insert_line(text, line_end(text, place), before + entry);
}

std::string erase_line(std::string text, const toml::table &section, std::string_view name,
                       const toml::node &value) {
  const auto key = section.find(name);
  const std::size_t begin = line_begin(text, offset_of(text, key->first.source().begin));
  const std::size_t end = line_end(text, offset_of(text, value.source().end) - 1);
  return text.erase(begin, end - begin);
}

void check(bool is_done) {
  if (!is_done)
    throw std::system_error(errno, std::generic_category());
}

} // namespace

std::string edit_preferences(const std::string &text, std::string_view name,
                             const std::optional<std::string> &literal) {
  const toml::table document = parse(text);
  const toml::table wanted = expected(text, name, literal);
  if (means(text, wanted))
    return text;
  const auto *section = document[section_name].as_table();
  const toml::node *value = section ? section->get(name) : nullptr;
  std::string edited = text;
  if (!value) {
    edited = insert(text, document, std::string(name) + " = " + *literal);
  } else if (literal) {
    const std::size_t begin = offset_of(text, value->source().begin);
    edited.replace(begin, offset_of(text, value->source().end) - begin, *literal);
  } else {
    edited = erase_line(text, *section, name, *value);
  }
  bool is_right = false;
  try {
    is_right = means(edited, wanted);
  } catch (const std::invalid_argument &) {
    // An edit that broke the syntax.
  }
  if (!is_right)
    throw std::invalid_argument("only a person can change the preference \"" + std::string(name) +
                                "\" in the way that the file is written");
  return edited;
}

bool edit_preference_file(const fs::path &path, std::string_view name,
                          const std::optional<std::string> &literal) {
  // A link, as those who keep such files elsewhere have it, stays one.
  std::error_code no_file;
  const fs::path real = fs::canonical(path, no_file);
  const fs::path &place = no_file ? path : real;
  if (literal)
    fs::create_directories(place.parent_path());
  else if (no_file)
    return false;
  const FileDescriptor folder(
      ::open(place.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  check(bool(folder));
  while (flock(folder.get(), LOCK_EX) != 0)
    check(errno == EINTR);
  const std::string text = read_preference_text(place);
  const std::string edited = edit_preferences(text, name, literal);
  if (edited == text)
    return false;
  check(replace_file(AT_FDCWD, place, {edited},
                     {.keeps_mode = true, .is_synchronised = true})); // a person wrote it
  return true;
}

} // namespace metalcore
