#include "hostmetal/compiler/tool/options.hpp"

#include "hostmetal/image/image.hpp"

#include <string_view>

namespace hostmetal::tool {

const char usage[] =
    "usage: hostmetal-metal source.metal... -o library.metallib [options]\n"
    "  --target NAME    x86-64-v2, x86-64-v3, x86-64-v4 or aarch64; may be given several times.\n"
    "                   Default: every target that this machine runs.\n"
    "  -I DIRECTORY     a folder for #include\n"
    "  -D NAME[=VALUE]  a preprocessor macro\n"
    "  -ffast-math, -fno-fast-math\n"
    "  --depfile FILE   what the output depends on, in make's form\n";

Options parse_options(int argc, const char *const *argv, std::string &error) {
  Options options;
  for (int i = 1; i < argc && error.empty(); ++i) {
    std::string_view word = argv[i];
    // The value of an option: the rest of the word, or the next one.
    auto value = [&](std::string_view name) -> std::string {
      if (word.size() > name.size())
        return std::string(word.substr(name.size() + (word[name.size()] == '=' ? 1 : 0)));
      if (i + 1 < argc)
        return argv[++i];
      error = "The option " + std::string(name) + " needs a value.";
      return {};
    };
    if (word == "-ffast-math" || word == "-fno-fast-math") {
      options.fast_math = word == "-ffast-math";
    } else if (word.starts_with("--target")) {
      options.targets.push_back(value("--target"));
    } else if (word.starts_with("--depfile")) {
      options.depfile = value("--depfile");
    } else if (word.starts_with("-o")) {
      options.output = value("-o");
    } else if (word.starts_with("-I")) {
      options.include_paths.push_back(value("-I"));
    } else if (word.starts_with("-D")) {
      std::string macro = value("-D");
      size_t equals = macro.find('=');
      options.macros.emplace_back(macro.substr(0, equals),
                                  equals == std::string::npos ? "1" : macro.substr(equals + 1));
    } else if (word.starts_with("-")) {
      error = "The option \"" + std::string(word) + "\" is not known.";
    } else {
      options.sources.emplace_back(word);
    }
  }
  if (error.empty() && options.sources.empty())
    error = "No source is given.";
  if (error.empty() && options.output.empty())
    error = "No output is given (-o).";
  if (options.targets.empty())
    options.targets = image::host_targets();
  return options;
}

} // namespace hostmetal::tool
