#include "core/pipeline_cache.hpp"

#include "support/request_key.hpp"
#include "support/trace.hpp"

#include <bit>

namespace metalcore {

namespace {

// Bounds on what a program that makes up new source or constants all the time can pile up. A handle
// that is still in use stays good when its entry goes.
constexpr std::size_t most_libraries = 256;
constexpr std::size_t most_pipelines_of_a_library = 1024;

uint64_t bits_of(bool value) {
  return value ? 1 : 0;
}
uint64_t bits_of(int64_t value) {
  return static_cast<uint64_t>(value);
}
uint64_t bits_of(uint64_t value) {
  return value;
}
uint64_t bits_of(double value) {
  return std::bit_cast<uint64_t>(value);
} // so NaN equals itself

} // namespace

std::string PipelineRequest::key() const {
  RequestKey key;
  key.text(kernel).number(constants.size());
  for (const auto &[name, value] : constants)
    key.text(name)
        .number(value.index())
        .number(std::visit([](auto number) { return bits_of(number); }, value));
  return key.take();
}

std::string LibraryRequest::key() const {
  RequestKey key;
  key.text(source).number(static_cast<uint64_t>(math_mode)).number(enable_logging);
  key.number(macros.size());
  for (const auto &[name, value] : macros)
    key.text(name).text(value);
  return key.take();
}

namespace {

constinit CacheCounters pipelines, libraries;
constinit std::atomic<uint64_t> built = 0;

} // namespace

CacheCounters &pipeline_counters() {
  return pipelines;
}

CacheCounters &library_counters() {
  return libraries;
}

std::atomic<uint64_t> &pipelines_built() {
  return built;
}

PipelineCache::PipelineCache(Build build, CacheCounters &counters)
    : build_(std::move(build)),
      pipelines_(most_pipelines_of_a_library, ErrorKind::pipeline, counters) {}

std::shared_ptr<Pipeline::Impl> PipelineCache::get(const PipelineRequest &request) {
  bool is_hit = true;
  auto pipeline = pipelines_.get(request.key(), [&] { return is_hit = false, build_(request); });
  if (is_hit)
    trace::instant("memory hit", request.kernel);
  return pipeline;
}

LibraryCache::LibraryCache(Build build, CacheCounters &counters)
    : build_(std::move(build)), libraries_(most_libraries, ErrorKind::compile, counters) {}

std::shared_ptr<Library::Impl> LibraryCache::get(const LibraryRequest &request) {
  bool is_hit = true;
  auto library = libraries_.get(request.key(), [&] { return is_hit = false, build_(request); });
  if (is_hit)
    trace::instant("memory hit", "library");
  return library;
}

} // namespace metalcore
