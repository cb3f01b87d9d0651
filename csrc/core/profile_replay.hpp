#pragma once

#include "core/compile_pool.hpp"
#include "core/program_profile.hpp"

#include <functional>

namespace metalcore {

struct ReplayCounts {
  std::size_t built = 0;
  std::size_t failed = 0;
};

/// Builds entries on a pool, several at once, and returns when all were tried or `should_stop`.
/// They begin in their order, except that those of one library come after its first, which compiles
/// it. `build` throws what Device::compile and Library::pipeline throw.
ReplayCounts replay(ProgramProfile &profile, const Profile &entries, CompilePool &pool,
                    const std::function<void(const ProfileEntry &)> &build,
                    const std::function<bool()> &should_stop);

} // namespace metalcore
