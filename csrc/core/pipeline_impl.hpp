#pragma once

#include "core/launch_check.hpp"
#include "core/library_impl.hpp"
#include "metalcore/pipeline.hpp"
#include "objc/retained.hpp"

#import <Metal/Metal.h>

#include <atomic>
#include <memory>

namespace metalcore {

struct Pipeline::Impl {
  Impl(std::shared_ptr<Device::Impl> device, id<MTLComputePipelineState> state, std::string name,
       std::vector<Argument> arguments, bool logs);

  const std::shared_ptr<Device::Impl> device;
  const objc::Retained<id<MTLComputePipelineState>> metal;
  const std::string name;
  const std::vector<Argument> arguments;
  const std::size_t width; ///< of a simdgroup
  const LaunchLimits limits;
  const bool logs;                       ///< its kernel may log
  std::atomic<bool> is_recorded = false; ///< as used by the program
};

/// Takes the pipeline from what is kept on disk, or builds it and has it kept; on the calling
/// thread, past the library's own cache. Throws what Library::pipeline does.
std::shared_ptr<Pipeline::Impl> find_pipeline(const Library::Impl &library,
                                              const PipelineRequest &request);

/// Builds on the calling thread, past every cache. Throws what Library::pipeline does.
std::shared_ptr<Pipeline::Impl> build_pipeline(const Library::Impl &library,
                                               const PipelineRequest &request);

} // namespace metalcore
