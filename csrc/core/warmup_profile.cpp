#include "core/warmup_profile.hpp"

#include "support/request_key.hpp"
#include "support/sha256.hpp"

#include <set>

namespace metalcore {

std::string ProfileEntry::key() const {
  RequestKey request;
  request.number(library ? 1 : 0).text(library ? library->key() : "").text(pipeline.key());
  return to_hex(sha256(request.take()));
}

Profile bounded(Profile entries) {
  Profile kept;
  std::set<std::string> keys;
  std::set<std::string> libraries;
  std::size_t source = 0;
  for (ProfileEntry &entry : entries) {
    if (kept.size() == most_profile_entries)
      break;
    const std::size_t length = entry.library ? entry.library->source.size() : 0;
    const std::string library = entry.library ? entry.library->key() : "";
    const bool is_new = entry.library && !libraries.contains(library);
    if (is_new && length > most_profile_source - source)
      continue;
    if (!keys.insert(entry.key()).second)
      continue;
    if (is_new) {
      libraries.insert(library);
      source += length;
    }
    kept.push_back(std::move(entry));
  }
  return kept;
}

Profile merged(const Profile &stored, const ProfileRun &run) {
  Profile all;
  std::set<std::string> used, failed;
  for (ProfileEntry entry : run.used) {
    used.insert(entry.key());
    entry.blocked_by.clear(); // the program has built it: it does no harm
    entry.runs_unused = 0;
    all.push_back(std::move(entry));
  }
  for (const ProfileEntry &entry : run.failed)
    failed.insert(entry.key());
  for (ProfileEntry entry : stored) {
    const std::string key = entry.key();
    const bool has_failed = failed.erase(key) > 0;
    if (used.contains(key))
      continue;
    if (run.is_first_save && ++entry.runs_unused > most_runs_unused)
      continue;
    if (has_failed)
      entry.blocked_by = run.compiler;
    all.push_back(std::move(entry));
  }
  for (ProfileEntry entry : run.failed) // those that came from elsewhere
    if (failed.erase(entry.key()) > 0) {
      entry.blocked_by = run.compiler;
      all.push_back(std::move(entry));
    }
  return bounded(std::move(all));
}

} // namespace metalcore
