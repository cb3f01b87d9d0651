#include "core/warmup_profile.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>

namespace metalcore {

namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t format = 1;
constexpr std::array<std::string_view, 3> math_modes = {"safe", "relaxed", "fast"};
constexpr std::array<std::string_view, 4> constant_types = {"bool", "int", "uint", "float"};
// Far beyond what a kernel has.
constexpr std::size_t most_names = 256, longest_text = 4096;

/// What is wrong with a profile: the end of a sentence.
struct Unusable {
  std::string why;
};

template <typename Number> std::string number_text(Number number, int base = 10) {
  std::array<char, 24> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, base).ptr;
  return {digits.data(), end};
}

template <typename Number> Number number_of(const std::string &text, int base = 10) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc() || end != text.data() + text.size())
    throw Unusable{"\"" + text.substr(0, 40) + "\" is no value of a function constant"};
  return number;
}

// As text: JSON's numbers are of one kind only, without infinities.
Json constant_json(const FunctionConstants::mapped_type &value) {
  const auto text = [](auto number) -> std::string {
    using Number = decltype(number);
    if constexpr (std::is_same_v<Number, bool>)
      return number ? "true" : "false";
    else if constexpr (std::is_same_v<Number, double>)
      return number_text(std::bit_cast<uint64_t>(number), 16);
    else
      return number_text(number);
  };
  return Json::array({constant_types[value.index()], std::visit(text, value)});
}

const std::string &text_of(const Json &json, const char *what, std::size_t longest = longest_text) {
  const auto *text = json.get_ptr<const Json::string_t *>();
  if (!text || text->size() > longest)
    throw Unusable{std::string(what) + " is not a text, or too long"};
  return *text;
}

/// The member of an object.
const Json &member(const Json &object, const char *name) {
  const auto found = object.find(name);
  if (!object.is_object() || found == object.end())
    throw Unusable{std::string("\"") + name + "\" is missing"};
  return *found;
}

const Json &list(const Json &object, const char *name, std::size_t longest) {
  const Json &found = member(object, name);
  if (!found.is_array() || found.size() > longest)
    throw Unusable{std::string("\"") + name + "\" is not a list, or too long"};
  return found;
}

const Json &table(const Json &object, const char *name) {
  const Json &found = member(object, name);
  if (!found.is_object() || found.size() > most_names)
    throw Unusable{std::string("\"") + name + "\" is not a table, or too large"};
  return found;
}

uint64_t whole_number(const Json &json, uint64_t below, const char *what) {
  const auto *number = json.get_ptr<const Json::number_unsigned_t *>();
  if (!number || *number >= below)
    throw Unusable{std::string(what) + " is not a whole number below " + std::to_string(below)};
  return *number;
}

FunctionConstants::mapped_type constant_of(const Json &json) {
  if (!json.is_array() || json.size() != 2)
    throw Unusable{"a function constant is not a type and a value"};
  const std::string &type = text_of(json[0], "a function constant's type");
  const std::string &text = text_of(json[1], "a function constant's value");
  switch (std::ranges::find(constant_types, type) - constant_types.begin()) {
  case 0:
    if (text != "true" && text != "false")
      throw Unusable{"a function constant of type bool is neither true nor false"};
    return text == "true";
  case 1:
    return number_of<int64_t>(text);
  case 2:
    return number_of<uint64_t>(text);
  case 3:
    return std::bit_cast<double>(number_of<uint64_t>(text, 16));
  default:
    throw Unusable{"\"" + type.substr(0, 40) + "\" is no type of a function constant"};
  }
}

LibraryRequest library_of(const Json &json) {
  LibraryRequest library;
  library.source = text_of(member(json, "source"), "a source", most_profile_source);
  for (const auto &[name, value] : table(json, "macros").items())
    library.macros.emplace(name, text_of(value, "a macro's value"));
  const std::string &mode = text_of(member(json, "math_mode"), "a math mode");
  const auto found = std::ranges::find(math_modes, mode);
  if (found == math_modes.end())
    throw Unusable{"\"" + mode.substr(0, 40) + "\" is no math mode"};
  library.math_mode = static_cast<MathMode>(found - math_modes.begin());
  // Absent where the source does not log.
  if (const auto logging = json.find("enable_logging"); logging != json.end()) {
    if (!logging->is_boolean())
      throw Unusable{"\"enable_logging\" is neither true nor false"};
    library.enable_logging = logging->get<bool>();
  }
  return library;
}

Profile profile_of(const Json &json) {
  if (member(json, "format") != format)
    throw Unusable{"its format is not " + std::to_string(format)};
  std::vector<std::shared_ptr<const LibraryRequest>> libraries;
  for (const Json &library : list(json, "libraries", most_profile_entries))
    libraries.push_back(std::make_shared<const LibraryRequest>(library_of(library)));
  Profile profile;
  for (const Json &pipeline : list(json, "pipelines", most_profile_entries)) {
    ProfileEntry entry;
    if (const Json &library = member(pipeline, "library"); !library.is_null())
      entry.library = libraries[whole_number(library, libraries.size(), "a library's number")];
    entry.pipeline.kernel = text_of(member(pipeline, "kernel"), "a kernel's name");
    for (const auto &[name, value] : table(pipeline, "constants").items())
      entry.pipeline.constants.emplace(name, constant_of(value));
    entry.runs_unused = static_cast<uint32_t>(
        whole_number(member(pipeline, "runs_unused"), most_runs_unused + 1, "\"runs_unused\""));
    entry.blocked_by = text_of(member(pipeline, "blocked_by"), "\"blocked_by\"");
    profile.push_back(std::move(entry));
  }
  return profile;
}

} // namespace

std::string profile_text(const Profile &profile) {
  Json libraries = Json::array(), pipelines = Json::array();
  std::map<std::string, std::size_t> numbers;
  for (const ProfileEntry &entry : profile) {
    Json library; // null
    if (entry.library) {
      const auto [found, is_new] = numbers.emplace(entry.library->key(), libraries.size());
      library = found->second;
      if (is_new) {
        Json &text = libraries.emplace_back(Json{
            {"source", entry.library->source},
            {"macros",
             Json(entry.library->macros.empty() ? Json::object() : Json(entry.library->macros))},
            {"math_mode", math_modes[static_cast<std::size_t>(entry.library->math_mode)]}});
        if (entry.library->enable_logging)
          text["enable_logging"] = true;
      }
    }
    Json constants = Json::object();
    for (const auto &[name, value] : entry.pipeline.constants)
      constants[name] = constant_json(value);
    pipelines.push_back({{"library", library},
                         {"kernel", entry.pipeline.kernel},
                         {"constants", constants},
                         {"runs_unused", entry.runs_unused},
                         {"blocked_by", entry.blocked_by}});
  }
  const Json json = {{"format", format}, {"libraries", libraries}, {"pipelines", pipelines}};
  // Metal compiles no text that is not UTF-8; should one get here, it is replaced and its entry
  // fails.
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::optional<Profile> parse_profile(std::string_view text, std::string &why_not) {
  try {
    const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (json.is_discarded())
      throw Unusable{"it is not JSON"};
    return profile_of(json);
  } catch (const Unusable &unusable) {
    why_not = unusable.why;
  } catch (const Json::exception &error) {
    why_not = error.what();
  }
  return std::nullopt;
}

} // namespace metalcore
