#include "core/preferences_reader.hpp"

#include "core/preferences_file.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <limits>
#include <stdexcept>

namespace metalcore {

namespace {

constexpr uint32_t most_cpu_threads = 65536;
constexpr uint32_t longest_compile = 86400;

/// One preference: its name, what its values look like, and how text becomes its value.
struct Key {
  std::string_view name;
  std::string_view values; ///< "must be ..."
  PreferenceForm form;     ///< flag: of those values that are true or false
  /// False, without a change, when the text is not a value.
  bool (*set)(Preferences &preferences, std::string_view text);
  std::string (*get)(const Preferences &preferences);
};

/// Words for the values of an enumeration; the first word of a value is the one that is shown.
template <typename Value> struct Word {
  std::string_view text;
  Value value;
};

template <typename Value, std::size_t count>
bool set_word(const std::array<Word<Value>, count> &words, std::string_view text, Value &target) {
  const auto word = std::ranges::find(words, text, &Word<Value>::text);
  if (word == words.end())
    return false;
  target = word->value;
  return true;
}

template <typename Value, std::size_t count>
std::string word_of(const std::array<Word<Value>, count> &words, Value value) {
  return std::string(std::ranges::find(words, value, &Word<Value>::value)->text);
}

using Warmup = Preferences::Warmup;
constexpr std::array<Word<Warmup>, 9> warmup_words = {{{"auto", Warmup::automatic},
                                                       {"true", Warmup::on},
                                                       {"false", Warmup::off},
                                                       {"on", Warmup::on},
                                                       {"off", Warmup::off},
                                                       {"yes", Warmup::on},
                                                       {"no", Warmup::off},
                                                       {"1", Warmup::on},
                                                       {"0", Warmup::off}}};
constexpr std::array<Word<StorageMode>, 2> storage_words = {
    {{"shared", StorageMode::shared}, {"private", StorageMode::private_}}};
constexpr std::array<Word<MathMode>, 3> math_words = {
    {{"safe", MathMode::safe}, {"relaxed", MathMode::relaxed}, {"fast", MathMode::fast}}};
constexpr std::array<std::string_view, 5> log_levels = {"debug", "info", "warning", "error", "off"};

constexpr std::array<Word<bool>, 8> flag_words = {{{"true", true},
                                                   {"false", false},
                                                   {"on", true},
                                                   {"off", false},
                                                   {"yes", true},
                                                   {"no", false},
                                                   {"1", true},
                                                   {"0", false}}};

bool is_absolute_path(std::string_view text) {
  return text.find('\0') == std::string_view::npos && std::filesystem::path(text).is_absolute();
}

/// A flag, or the path of a profile.
bool set_warmup_profile(Preferences &preferences, std::string_view text) {
  if (set_word(flag_words, text, preferences.warmup_profile))
    return preferences.warmup_profile_path.clear(), true;
  if (!is_absolute_path(text))
    return false;
  preferences.warmup_profile = true;
  preferences.warmup_profile_path = text;
  return true;
}

std::string warmup_profile_text(const Preferences &preferences) {
  return preferences.warmup_profile_path.empty() ? word_of(flag_words, preferences.warmup_profile)
                                                 : preferences.warmup_profile_path;
}

bool set_cache_dir(Preferences &preferences, std::string_view text) {
  if (!text.empty() && !is_absolute_path(text))
    return false;
  preferences.cache_dir = text;
  return true;
}

struct Unit {
  std::string_view name;
  uint64_t bytes;
};
constexpr std::array<Unit, 7> units = {{{"GiB", 1u << 30},
                                        {"MiB", 1u << 20},
                                        {"KiB", 1u << 10},
                                        {"GB", 1000000000},
                                        {"MB", 1000000},
                                        {"KB", 1000},
                                        {"B", 1}}};

/// "256 MiB", "1GB", or a number of bytes.
bool set_cache_max_size(Preferences &preferences, std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc())
    return false;
  std::string_view rest = text.substr(static_cast<std::size_t>(end - text.data()));
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  const auto unit = std::ranges::find(units, rest.empty() ? "B" : rest, &Unit::name);
  if (unit == units.end() || value > std::numeric_limits<uint64_t>::max() / unit->bytes)
    return false;
  preferences.cache_max_size = value * unit->bytes;
  return true;
}

/// In the largest binary unit that divides it.
std::string cache_max_size_text(const Preferences &preferences) {
  const uint64_t bytes = preferences.cache_max_size;
  for (const Unit &unit : units)
    if (unit.name.ends_with("iB") && bytes > 0 && bytes % unit.bytes == 0)
      return std::to_string(bytes / unit.bytes) + ' ' + std::string(unit.name);
  return std::to_string(bytes) + " B";
}

bool set_number(std::string_view text, uint32_t limit, uint32_t &target) {
  uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value > limit)
    return false;
  target = value;
  return true;
}

bool set_cpu_threads(Preferences &preferences, std::string_view text) {
  return set_number(text, most_cpu_threads, preferences.cpu_threads);
}

bool set_compile_time_limit(Preferences &preferences, std::string_view text) {
  return set_number(text, longest_compile, preferences.compile_time_limit);
}

bool set_log_level(Preferences &preferences, std::string_view text) {
  if (std::ranges::find(log_levels, text) == log_levels.end())
    return false;
  preferences.log_level = text;
  return true;
}

constexpr std::array<Key, 11> keys = {{
    {"warmup", "\"auto\", true or false", PreferenceForm::flag,
     [](Preferences &p, std::string_view text) { return set_word(warmup_words, text, p.warmup); },
     [](const Preferences &p) { return word_of(warmup_words, p.warmup); }},
    {"warmup_profile", "true, false or an absolute path", PreferenceForm::flag, set_warmup_profile,
     warmup_profile_text},
    {"cache", "true or false", PreferenceForm::flag,
     [](Preferences &p, std::string_view text) { return set_word(flag_words, text, p.cache); },
     [](const Preferences &p) { return word_of(flag_words, p.cache); }},
    {"cache_dir", "an absolute path", PreferenceForm::text, set_cache_dir,
     [](const Preferences &p) { return p.cache_dir; }},
    {"cache_max_size", "a size such as \"256 MiB\"", PreferenceForm::text, set_cache_max_size,
     cache_max_size_text},
    {"device", "the name or the index of a device", PreferenceForm::text,
     [](Preferences &p, std::string_view text) { return p.device = text, true; },
     [](const Preferences &p) { return p.device; }},
    {"cpu_threads", "a whole number from 0 to 65536", PreferenceForm::number, set_cpu_threads,
     [](const Preferences &p) { return std::to_string(p.cpu_threads); }},
    {"compile_time_limit", "a whole number from 0 to 86400", PreferenceForm::number,
     set_compile_time_limit,
     [](const Preferences &p) { return std::to_string(p.compile_time_limit); }},
    {"storage_mode", "\"shared\" or \"private\"", PreferenceForm::text,
     [](Preferences &p, std::string_view text) {
       return set_word(storage_words, text, p.storage_mode);
     },
     [](const Preferences &p) { return word_of(storage_words, p.storage_mode); }},
    {"math_mode", "\"safe\", \"relaxed\" or \"fast\"", PreferenceForm::text,
     [](Preferences &p, std::string_view text) { return set_word(math_words, text, p.math_mode); },
     [](const Preferences &p) { return word_of(math_words, p.math_mode); }},
    {"log_level", "\"debug\", \"info\", \"warning\", \"error\" or \"off\"", PreferenceForm::text,
     set_log_level, [](const Preferences &p) { return p.log_level; }},
}};

std::string in_quotes(std::string_view text) {
  return '"' + std::string(text) + '"';
}

std::string variable_name(std::string_view key) {
  std::string name = "METALCORE_";
  std::ranges::transform(key, std::back_inserter(name),
                         [](char c) { return c >= 'a' && c <= 'z' ? char(c - 'a' + 'A') : c; });
  return name;
}

/// What a source says of one key.
struct Finding {
  std::string_view key;
  std::optional<std::string> value; ///< empty: no text at all
  std::string source;               ///< as PreferenceValue has it
  std::string subject;              ///< as a warning begins
  bool is_users;                    ///< see PreferenceSource
};

const Key &key_of(std::string_view name) {
  const auto key = std::ranges::find(keys, name, &Key::name);
  if (key != keys.end())
    return *key;
  std::string names;
  for (const Key &known : keys)
    names += (names.empty() ? "" : ", ") + in_quotes(known.name);
  throw std::invalid_argument("There is no preference " + in_quotes(name) + "; there are " + names +
                              '.');
}

PreferenceForm form_of(const Key &key, std::string_view value) {
  const bool is_word = key.form == PreferenceForm::flag && value != "true" && value != "false";
  return is_word ? PreferenceForm::text : key.form;
}

/// A basic string of TOML.
std::string toml_string(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string literal = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      literal += '\\';
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      (literal += "\\u00") += {digits[static_cast<unsigned char>(c) >> 4], digits[c & 15]};
    else
      literal += c;
  }
  return literal + '"';
}

/// What a file that the user did not write must not say: where to find things to execute.
bool is_private(const Preferences &trial, const Key &key) {
  return key.name == "cache_dir" ||
         (key.name == "warmup_profile" && !trial.warmup_profile_path.empty());
}

std::string refusal(const Key &key) {
  return " is ignored, because cached files are executed and the folder may be somebody else's; "
         "set "
         "it in the user's preferences.toml or in " +
         variable_name(key.name) + '.';
}

std::string place(const std::filesystem::path &file, uint32_t line) {
  return in_quotes(file.string()) + (line > 0 ? ", line " + std::to_string(line) : "") + ": ";
}

/// The findings of the sources, those that win first.
std::vector<Finding> find_all(const platform::Environment &environment,
                              const std::vector<PreferenceSource> &files,
                              std::vector<std::string> &warnings) {
  std::vector<Finding> findings;
  for (const Key &key : keys) {
    const std::string variable = variable_name(key.name);
    if (const auto found = environment.find(variable);
        found != environment.end() && !found->second.empty())
      findings.push_back(
          {key.name, found->second, "environment", "The environment variable " + variable, true});
  }
  for (const auto &[path, is_users] : files) {
    const PreferenceFile file = read_preference_file(path);
    for (const auto &problem : file.problems)
      warnings.push_back(place(path, problem.line) + problem.what + '.');
    for (const auto &entry : file.entries) {
      const auto key = std::ranges::find(keys, entry.key, &Key::name);
      if (key == keys.end())
        warnings.push_back(place(path, entry.line) + "there is no preference " +
                           in_quotes(entry.key) + '.');
      else
        findings.push_back({key->name, entry.value, path.string(),
                            place(path, entry.line) + "the preference " + in_quotes(key->name),
                            is_users});
    }
  }
  return findings;
}

} // namespace

PreferenceReading read_preferences(const platform::Environment &environment,
                                   const std::vector<PreferenceSource> &files) {
  PreferenceReading reading;
  const std::vector<Finding> findings = find_all(environment, files, reading.warnings);
  for (const Key &key : keys) {
    const std::string default_value = key.get(Preferences());
    std::string source = "default";
    bool is_decided = false;
    for (const Finding &finding : findings) {
      if (finding.key != key.name)
        continue;
      // Every value is checked, and the first decides: a bad one leaves the default in force.
      Preferences trial;
      const bool is_good = finding.value && key.set(trial, *finding.value);
      if (!finding.is_users && is_private(trial, key)) {
        reading.warnings.push_back(finding.subject + refusal(key));
        continue;
      }
      if (!is_good)
        reading.warnings.push_back(
            finding.subject +
            (finding.value ? " is " + in_quotes(*finding.value) : " has a value") +
            (finding.value ? ", but must be " : " that is not ") + std::string(key.values) +
            "; the default (" + in_quotes(default_value) + ") is used.");
      if (!is_decided && is_good) {
        key.set(reading.preferences, *finding.value);
        source = finding.source;
      }
      is_decided = true;
    }
    const std::string value = key.get(reading.preferences);
    reading.values.push_back({std::string(key.name), value, source, form_of(key, value)});
  }
  reading.cache_folder = reading.preferences.cache_dir.empty()
                             ? platform::user_cache_folder(environment)
                             : std::filesystem::path(reading.preferences.cache_dir);
  if (!reading.cache_folder.empty())
    reading.cache_folder /= "metalcore";
  return reading;
}

void check_preference_name(std::string_view name) {
  key_of(name);
}

std::string preference_literal(std::string_view name, std::string_view text) {
  const Key &key = key_of(name);
  Preferences trial;
  if (!key.set(trial, text))
    throw std::invalid_argument("The preference " + in_quotes(name) + " cannot be " +
                                toml_string(text) + ", but must be " + std::string(key.values) +
                                '.');
  const std::string value = key.form == PreferenceForm::text ? std::string(text) : key.get(trial);
  return form_of(key, value) == PreferenceForm::text ? toml_string(value) : value;
}

} // namespace metalcore
