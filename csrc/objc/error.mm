#include "objc/error.hpp"

#include "objc/strings.hpp"

namespace metalcore::objc {

namespace {

/// Without white space and full stops at the end: the caller writes the sentence.
std::string trimmed(std::string text) {
  const auto end = text.find_last_not_of(" \t\r\n.");
  text.resize(end == std::string::npos ? 0 : end + 1);
  return text;
}

} // namespace

std::string describe(NSError *error) {
  const std::string text = trimmed(to_string([error localizedDescription]));
  return text.empty() ? "unknown error" : text;
}

} // namespace metalcore::objc
