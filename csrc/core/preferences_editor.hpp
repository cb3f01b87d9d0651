#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace metalcore {

/// The text of a preferences file with `name` of the section [metalcore] set to `literal`, a TOML
/// value, or taken out where there is none. All else, comments and line ends too, stays as it is.
/// Throws std::invalid_argument, with the end of a sentence, where the text is malformed or only a
/// person can edit it.
std::string edit_preferences(const std::string &text, std::string_view name,
                             const std::optional<std::string> &literal);

/// Does that to a file, which is made where there is none: read, checked, written beside its place
/// and renamed; processes that do it at the same time take turns. False when the text was like that
/// already. Throws std::invalid_argument and std::system_error.
bool edit_preference_file(const std::filesystem::path &path, std::string_view name,
                          const std::optional<std::string> &literal);

} // namespace metalcore
