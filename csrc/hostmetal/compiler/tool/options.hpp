#pragma once

#include <string>
#include <utility>
#include <vector>

namespace hostmetal::tool {

struct Options {
  std::vector<std::string> sources;
  std::string output;
  std::string depfile; ///< empty: none is written
  std::vector<std::string> targets;
  std::vector<std::string> include_paths;
  std::vector<std::pair<std::string, std::string>> macros;
  bool fast_math = true;
};

/// Reads the command line; on failure `error` says why and the result is of no use.
Options parse_options(int argc, const char *const *argv, std::string &error);

extern const char usage[];

} // namespace hostmetal::tool
