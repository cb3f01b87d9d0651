#pragma once

#include "hostmetal/api/compiler_library.hpp"
#include "support/sha256.hpp"

#include <functional>
#include <optional>
#include <string>

namespace hostmetal::api::library_cache {

// What the front end made of sources, kept in the folder that the environment variable
// HOSTMETAL_CACHE_DIR names; unset or empty: nothing is kept. HOSTMETAL_CACHE_MAX_SIZE is the
// folder's limit in bytes, 256 MiB unless it is set. Any thread.

/// Whether there is a folder to keep results in.
bool is_on();

struct Entry {
  CompilerLibrary::CompiledLibrary library;
  metalcore::Digest identity; ///< of the module
};

/// What was stored under the key; empty, also for what cannot be read.
std::optional<Entry> load(const metalcore::Digest &key);

/// The bytes that load() reads.
std::string serialise(std::string_view module, const image::Library &description,
                      const std::string &warnings, const metalcore::Digest &identity);

/// Stores what `content` returns, on a thread in the background. The end of the process waits for
/// it, but not for long.
void store(const metalcore::Digest &key, std::function<std::string()> content);

} // namespace hostmetal::api::library_cache
