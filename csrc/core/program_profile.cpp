#include "core/program_profile.hpp"

#include "metalcore/error.hpp"
#include "support/log.hpp"
#include "support/request_key.hpp"

#include <algorithm>
#include <stdexcept>

namespace metalcore {

namespace {

std::string in_quotes(const std::filesystem::path &path) {
  return '"' + path.string() + '"';
}

/// What the build under way throws, seen from its catch clause.
ProfileBuild current_failure() {
  try {
    throw;
  } catch (const Error &error) {
    switch (error.kind()) {
    case ErrorKind::compile:
      return ProfileBuild::no_library;
    case ErrorKind::pipeline:
    case ErrorKind::unsupported:
      return ProfileBuild::failed;
    default:
      return ProfileBuild::no_device;
    }
  } catch (const std::logic_error &) { // an unknown kernel, wrong constants or macros
    return ProfileBuild::failed;
  } catch (...) {
    return ProfileBuild::no_device;
  }
}

} // namespace

Profile ProgramProfile::read(const std::filesystem::path &path, ProfileOwner owner,
                             bool must_exist) const {
  if (path.empty())
    return {};
  std::string why_not;
  std::optional<Profile> profile;
  if (const auto text = read_profile_file(path, owner, why_not))
    profile = parse_profile(*text, why_not);
  if (profile)
    return bounded(std::move(*profile));
  std::error_code error;
  if (must_exist)
    log::warning("The warm-up profile " + in_quotes(path) + " is not used: " + why_not + '.');
  else if (std::filesystem::exists(path, error))
    log::debug("The warm-up profile " + in_quotes(path) + " is not used: " + why_not + '.');
  return {};
}

void ProgramProfile::write(const Profile &profile) const {
  std::string why_not;
  if (!write_profile_file(places_.own, profile_text(profile), why_not))
    log::debug("The warm-up profile " + in_quotes(places_.own) + " is not written: " + why_not +
               '.');
}

ProgramProfile::Start ProgramProfile::start() {
  const Profile shipped = read(places_.shipped, ProfileOwner::user_or_system, true);
  Profile stored;
  std::shared_ptr<BuildMarks> marks;
  const std::filesystem::path folder = places_.own.parent_path();
  if (!places_.own.empty()) {
    const FolderLock lock(folder);
    stored = read(places_.own, ProfileOwner::user, false);
    const auto crashed = BuildMarks::left_behind(places_.own, lock.is_held());
    ProfileRun last_run{{}, {}, places_.compiler, /*is_first_save=*/false};
    for (const Profile *profile : {&std::as_const(stored), &shipped})
      std::ranges::copy_if(
          *profile, std::back_inserter(last_run.failed),
          [&](const ProfileEntry &entry) { return crashed.contains(entry.key()); });
    if (!last_run.failed.empty()) {
      stored = merged(stored, last_run);
      if (lock.is_held())
        write(stored);
      log::debug(std::to_string(last_run.failed.size()) +
                 " pipelines of the warm-up profile are left out: a process ended while they were "
                 "built.");
    }
    if (lock.is_held() && (!stored.empty() || !shipped.empty()))
      marks = BuildMarks::make(places_.own);
  }
  Profile all = stored;
  all.insert(all.end(), shipped.begin(), shipped.end());
  Start start;
  for (ProfileEntry &entry : bounded(std::move(all))) {
    if (!entry.blocked_by.empty() && entry.blocked_by == places_.compiler)
      ++start.blocked;
    else
      start.entries.push_back(std::move(entry));
  }
  state_.with([&](State &state) { state.marks.swap(marks); });
  return start;
}

ProfileBuild ProgramProfile::build(const ProfileEntry &entry, const std::function<void()> &work) {
  const auto marks = state_.with([](const State &state) { return state.marks; });
  const std::size_t place = marks ? marks->begin(entry.key()) : 0;
  ProfileBuild result = ProfileBuild::built;
  try {
    work();
  } catch (...) {
    result = current_failure();
  }
  if (marks)
    marks->end(place);
  return result;
}

void ProgramProfile::note_failure(const ProfileEntry &entry) {
  state_.with([&](State &state) {
    state.run.failed.push_back(entry);
    state.is_changed = true;
  });
}

void ProgramProfile::end_builds() {
  const auto marks = state_.with([](State &state) { return std::exchange(state.marks, nullptr); });
  // A build may still hold them that the end of the process will cut off.
  if (marks)
    marks->remove();
}

bool ProgramProfile::record(const std::shared_ptr<const LibraryRequest> &library,
                            const PipelineRequest &pipeline) {
  if (places_.own.empty())
    return false;
  RequestKey key;
  key.number(library ? 1 : 0).text(library ? library->key() : "").text(pipeline.key());
  return state_.with([&](State &state) {
    if (state.run.used.size() >= most_profile_entries || !state.recorded.insert(key.take()).second)
      return false;
    state.run.used.push_back({library, pipeline});
    state.is_changed = true;
    return true;
  });
}

bool ProgramProfile::save() {
  const auto run = state_.with([&](State &state) -> std::optional<ProfileRun> {
    if (places_.own.empty() || !std::exchange(state.is_changed, false))
      return std::nullopt;
    ProfileRun run = state.run;
    if (run.used.empty())
      run.is_first_save = false; // it says nothing about what is needed
    else
      state.run.is_first_save = false;
    return run;
  });
  if (!run)
    return true;
  ProfileRun now = *run;
  now.compiler = places_.compiler;
  make_profile_folder(places_.own.parent_path()); // so that there is one to lock
  const FolderLock lock(places_.own.parent_path());
  if (!lock.is_held()) {
    state_.with([&](State &state) {
      state.is_changed = true;
      state.run.is_first_save |= run->is_first_save;
    });
    return false;
  }
  std::string why_not;
  const auto text = read_profile_file(places_.own, ProfileOwner::user, why_not);
  const Profile stored = text ? parse_profile(*text, why_not).value_or(Profile()) : Profile();
  const Profile next = merged(bounded(stored), now);
  if (!text || profile_text(next) != *text)
    write(next);
  return true;
}

} // namespace metalcore
