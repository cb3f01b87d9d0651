#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace metalcore {

/// `key = value` of the section [metalcore].
struct PreferenceEntry {
  std::string key;
  std::optional<std::string> value; ///< as text; empty for an array, a table or a date
  uint32_t line;                    ///< from 1
};

/// What is wrong with a place of the file.
struct PreferenceFileProblem {
  uint32_t line;    ///< from 1; 0: the file as a whole
  std::string what; ///< the end of a sentence
};

struct PreferenceFile {
  std::vector<PreferenceEntry> entries; ///< in the order of the file
  std::vector<PreferenceFileProblem> problems;
};

/// The file's text; empty where there is no file. Throws std::system_error where there is something
/// that cannot be read.
std::string read_preference_text(const std::filesystem::path &path);

/// Reads a TOML file; one that does not exist is empty. Of a malformed file nothing is used.
PreferenceFile read_preference_file(const std::filesystem::path &path);

} // namespace metalcore
