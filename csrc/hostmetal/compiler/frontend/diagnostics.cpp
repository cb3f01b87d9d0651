#include "hostmetal/compiler/frontend/diagnostics.hpp"

#include "clang/Basic/Diagnostic.h"
#include "llvm/Support/Regex.h"

#include <vector>

namespace hostmetal::frontend {
namespace {

void report(clang::DiagnosticsEngine &diagnostics, clang::DiagnosticsEngine::Level level,
            clang::SourceLocation where, const llvm::Twine &message) {
  const unsigned id = diagnostics.getDiagnosticIDs()->getCustomDiagID(
      static_cast<clang::DiagnosticIDs::Level>(level), "%0");
  diagnostics.Report(where, id) << message.str();
}

/// A place in the standard library, or in what its macros paste together.
bool is_headers(llvm::StringRef place) {
  return place.starts_with("/metal/") || place.starts_with("<scratch space>");
}

/// One diagnostic of clang's text.
struct Block {
  std::string place;   ///< "program_source:3:4: "; empty: none
  std::string message; ///< "error: …", or a line that is none
  std::string quoted;  ///< lines of the source, with what is below them

  bool is_note() const { return llvm::StringRef(message).starts_with("note: "); }
  bool is_in_header() const { return is_headers(place); }
};

/// How clang's note begins where a condition of `enable_if` is false.
constexpr llvm::StringLiteral not_available = "note: candidate disabled: ";

bool is_quoted(llvm::StringRef line) {
  return line.ltrim(" 0123456789").starts_with("|");
}

std::vector<Block> parse_blocks(llvm::StringRef text) {
  std::vector<Block> blocks;
  while (!text.empty()) {
    llvm::StringRef line;
    std::tie(line, text) = text.split('\n');
    if (is_quoted(line)) {
      if (!blocks.empty())
        blocks.back().quoted += line.str() + '\n';
      continue;
    }
    if (line.starts_with("In file included from /metal/"))
      continue;
    Block &block = blocks.emplace_back();
    size_t severity = llvm::StringRef::npos;
    for (const char *word : {"note: ", "warning: ", "error: ", "fatal error: "})
      severity = std::min(severity, line.find(word));
    if (severity == llvm::StringRef::npos)
      severity = 0;
    block.place = line.take_front(severity);
    block.message = line.drop_front(severity);
  }
  return blocks;
}

/// What clang calls things, and what MSL does.
class Words {
public:
  std::string replace(const std::string &message) const {
    std::string text = message;
    for (const auto &[expression, words] : rules_) {
      // Not a loop for ever: no rule's result matches the rule.
      while (expression.match(text))
        text = expression.sub(words, text);
    }
    return text;
  }

private:
  // In this order. Words in quotes may be the user's own, so only what nobody writes is replaced.
  const std::vector<std::pair<llvm::Regex, llvm::StringRef>> rules_ = [] {
    std::vector<std::pair<llvm::Regex, llvm::StringRef>> rules;
    for (const auto &[expression, words] :
         {std::pair("(const )?__global_host( |$)", "constant\\2"),
          {"__global( |')", "device\\1"},
          {"__local( |')", "threadgroup\\1"},
          {"__private( |')", "thread\\1"},
          {"([a-z_A-Z0-9]+) __attribute__\\(\\(ext_vector_type\\(([0-9])\\)\\)\\)", "\\1\\2"},
          {"_Float16", "half"},
          {"__bf16", "bfloat"},
          {"address space '__global_host'", "address space 'constant'"},
          {" in address space '[0-9]+'", ""},
          {"vec<([a-z]+), vec<[a-z]+, ([0-9])>::__size>", "vec<\\1, \\2>"},
          {"you need to include <typeinfo> before using the 'typeid' operator",
           "'typeid' is not supported in Metal"},
          {"metal::__detail::[a-z_]+<", "<"},
          {"unknown attribute '([^']*)' ignored", "unknown attribute '\\1'"},
          {"use of (typeid|dynamic_cast) requires -frtti", "'\\1' is not supported in Metal"},
          {"cannot use '(try|throw)' with exceptions disabled", "'\\1' is not supported in Metal"},
          {"; use '?-f[^']*' to increase this limit", ""},
          {"; use -f[^ ]*=0 to see all", ""},
          {" \\[-f[a-z-]*=\\]", ""},
          {"note: use -f[^ ]* to increase .*", ""},
          {"SYCL kernel", "kernel"},
          {" for the current target", " in Metal"},
          {" on this target", " in Metal"}})
      rules.emplace_back(llvm::Regex(expression), words);
    return rules;
  }();
};

} // namespace

void report_error(clang::DiagnosticsEngine &diagnostics, clang::SourceLocation where,
                  const llvm::Twine &message) {
  report(diagnostics, clang::DiagnosticsEngine::Error, where, message);
}

void report_fatal(clang::DiagnosticsEngine &diagnostics, clang::SourceLocation where,
                  const llvm::Twine &message) {
  report(diagnostics, clang::DiagnosticsEngine::Fatal, where, message);
}

void report_note(clang::DiagnosticsEngine &diagnostics, clang::SourceLocation where,
                 const llvm::Twine &message) {
  report(diagnostics, clang::DiagnosticsEngine::Note, where, message);
}

std::string in_metal_words(const std::string &diagnostics) {
  if (diagnostics.empty())
    return {};
  const Words words;
  std::vector<Block> blocks = parse_blocks(diagnostics);
  std::string result, last_place, last_reason;
  for (size_t i = 0; i < blocks.size(); ++i) {
    Block &block = blocks[i];
    if (block.is_in_header()) {
      if (block.is_note()) {
        // Why a function of the standard library does not exist for these types, said once.
        llvm::StringRef reason = block.message;
        if (reason.consume_front(not_available) && reason != last_reason) {
          result += last_place + "note: " + reason.str() + '\n';
          last_reason = reason;
        }
        continue;
      }
      // An error in the standard library is one of those who used it: the place is the first note
      // that is in their source.
      size_t users = i + 1;
      while (users < blocks.size() && blocks[users].is_note() &&
             (blocks[users].is_in_header() || blocks[users].place.empty()))
        ++users;
      const bool has_user = users < blocks.size() && blocks[users].is_note();
      // clang says once where a chain of errors comes from.
      if (!has_user && !result.empty())
        continue;
      if (has_user) {
        block.place = blocks[users].place;
        block.quoted = blocks[users].quoted;
        blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(users));
      } else {
        block.place.clear();
        block.quoted.clear();
      }
    }
    if (!block.is_note()) {
      last_place = block.place;
      last_reason.clear();
    }
    const std::string message = words.replace(block.message);
    if (!message.empty())
      result += block.place + message + '\n' + block.quoted;
  }
  return result;
}

} // namespace hostmetal::frontend
