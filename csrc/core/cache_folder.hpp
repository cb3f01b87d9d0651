#pragma once

#include <filesystem>

namespace metalcore {

/// The folder that holds all that metalcore keeps between runs: `<folder for caches>/metalcore`.
/// Empty where neither the preference `cache_dir` nor the system names one. Nothing makes it before
/// something is kept; what is in it may belong to anybody. Any thread.
const std::filesystem::path &cache_folder();

} // namespace metalcore
