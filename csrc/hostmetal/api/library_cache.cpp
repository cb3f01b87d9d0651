#include "hostmetal/api/library_cache.hpp"

#include "hostmetal/api/pending_writes.hpp"
#include "hostmetal/image/bytes.hpp"
#include "support/disk_store.hpp"
#include "support/fork.hpp"
#include "support/guarded.hpp"
#include "support/log.hpp"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string_view>

namespace hostmetal::api::library_cache {

namespace {

using metalcore::DiskStore;

constexpr std::string_view kind = "library";
constexpr uint32_t entry_form = 0x484D4601; // "HMF", 1
constexpr uint64_t default_max_size = uint64_t{256} << 20;

std::string folder_name() {
  const char *name = std::getenv("HOSTMETAL_CACHE_DIR");
  std::error_code error;
  return name && *name ? std::filesystem::absolute(name, error).string() : "";
}

uint64_t max_size() {
  const char *text = std::getenv("HOSTMETAL_CACHE_MAX_SIZE");
  uint64_t size = 0;
  if (!text)
    return default_max_size;
  const char *end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, size);
  return error == std::errc() && stop == end ? size : default_max_size;
}

/// The folder that was named last, and its store; null where it cannot be used.
struct Opened {
  std::string folder;
  std::shared_ptr<DiskStore> store;
};

metalcore::Guarded<Opened> &opened() {
  const metalcore::fork::Section section;
  // Never destroyed: tasks in the background may use it while static objects go.
  static metalcore::Guarded<Opened> &instance = *new metalcore::Guarded<Opened>;
  return instance;
}

std::shared_ptr<DiskStore> store() {
  const std::string folder = folder_name();
  if (folder.empty())
    return nullptr;
  const Opened known = opened().with([](const Opened &last) { return last; });
  if (known.folder == folder)
    return known.store;
  std::string why_not;
  std::shared_ptr<DiskStore> store = DiskStore::open(folder, max_size(), why_not);
  const bool is_first = opened().with([&](Opened &last) {
    const bool is_news = last.folder != folder;
    if (is_news)
      last = {folder, store};
    return is_news;
  });
  if (!store && is_first)
    metalcore::log::warning("Compiled libraries are not kept: " + why_not);
  return store;
}

} // namespace

bool is_on() {
  return store() != nullptr;
}

std::optional<Entry> load(const metalcore::Digest &key) {
  const std::shared_ptr<DiskStore> folder = store();
  const std::optional<std::string> content = folder ? folder->load(key, kind) : std::nullopt;
  if (!content)
    return std::nullopt;
  image::ByteReader in(image::as_bytes(*content));
  if (in.number<uint32_t>() != entry_form)
    return std::nullopt;
  Entry entry;
  for (uint8_t &byte : entry.identity)
    byte = in.number<uint8_t>();
  std::optional<image::Library> description = image::parse_library(image::as_bytes(in.text()));
  entry.library.warnings = in.text();
  entry.library.module = in.text();
  if (!in.complete() || !description)
    return std::nullopt;
  entry.library.description = std::move(*description);
  return entry;
}

std::string serialise(std::string_view module, const image::Library &description,
                      const std::string &warnings, const metalcore::Digest &identity) {
  image::ByteWriter out;
  out.number(entry_form);
  for (const uint8_t byte : identity)
    out.number(byte);
  out.text(image::serialise(description));
  out.text(warnings);
  out.text(module);
  return out.take();
}

void store(const metalcore::Digest &key, std::function<std::string()> content) {
  if (std::shared_ptr<DiskStore> folder = store())
    write_in_background([folder = std::move(folder), key, content = std::move(content)] {
      folder->store(key, kind, content());
    });
}

} // namespace hostmetal::api::library_cache
