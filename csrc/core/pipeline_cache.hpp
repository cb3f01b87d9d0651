#pragma once

#include "core/single_flight.hpp"
#include "metalcore/library.hpp"
#include "metalcore/pipeline.hpp"

#include <functional>
#include <memory>
#include <string>

namespace metalcore {

/// Everything that decides what a pipeline is, within one library.
struct PipelineRequest {
  std::string kernel;
  FunctionConstants constants;

  std::string key() const;
};

/// Everything that decides what a library compiled from source is, on one device.
struct LibraryRequest {
  std::string source;
  std::map<std::string, std::string> macros;
  MathMode math_mode = MathMode::safe;
  bool enable_logging = false;

  std::string key() const;
};

/// Counts of this process, for reports. Any thread.
CacheCounters &pipeline_counters();
CacheCounters &library_counters();
/// Pipelines that were built, whether or not through a cache.
std::atomic<uint64_t> &pipelines_built();

/// The pipelines of one library. Thread-safe.
class PipelineCache {
public:
  using Build = std::function<std::shared_ptr<Pipeline::Impl>(const PipelineRequest &)>;

  /// `build` sees the request and nothing else that could change its result.
  explicit PipelineCache(Build build, CacheCounters &counters = pipeline_counters());

  std::shared_ptr<Pipeline::Impl> get(const PipelineRequest &request);
  std::size_t size() const { return pipelines_.size(); }

private:
  Build build_;
  SingleFlight<std::shared_ptr<Pipeline::Impl>> pipelines_;
};

/// The libraries that one device compiled from source. Thread-safe.
class LibraryCache {
public:
  using Build = std::function<std::shared_ptr<Library::Impl>(const LibraryRequest &)>;

  explicit LibraryCache(Build build, CacheCounters &counters = library_counters());

  std::shared_ptr<Library::Impl> get(const LibraryRequest &request);
  std::size_t size() const { return libraries_.size(); }

private:
  Build build_;
  SingleFlight<std::shared_ptr<Library::Impl>> libraries_;
};

} // namespace metalcore
