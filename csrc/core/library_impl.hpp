#pragma once

#include "core/pipeline_cache.hpp"
#include "metalcore/library.hpp"
#include "objc/retained.hpp"

#import <Metal/Metal.h>

#include <filesystem>
#include <memory>

namespace metalcore {

struct Library::Impl {
  Impl(std::shared_ptr<Device::Impl> device, id<MTLLibrary> library, std::string warnings);

  const std::shared_ptr<Device::Impl> device;
  const objc::Retained<id<MTLLibrary>> metal;
  const std::string warnings; ///< of the compiler
  PipelineCache pipelines;
};

/// The names of all functions, kernels or not.
std::vector<std::string> names_of(id<MTLLibrary> library);

/// Compiles on the calling thread, past every cache. Throws what Device::compile does.
std::shared_ptr<Library::Impl> compile_library(const std::shared_ptr<Device::Impl> &device,
                                               const LibraryRequest &request);
/// Throws Error{compile}.
std::shared_ptr<Library::Impl> open_library(const std::shared_ptr<Device::Impl> &device,
                                            const std::filesystem::path &path);

} // namespace metalcore
