#pragma once

#include "core/pipeline_cache.hpp"
#include "metalcore/library.hpp"
#include "objc/retained.hpp"
#include "support/sha256.hpp"

#import <Metal/Metal.h>

#include <filesystem>
#include <memory>
#include <optional>

namespace metalcore {

struct Library::Impl {
  Impl(std::shared_ptr<Device::Impl> device, id<MTLLibrary> library, std::string warnings,
       std::optional<Digest> identity);

  const std::shared_ptr<Device::Impl> device;
  const objc::Retained<id<MTLLibrary>> metal;
  const std::string warnings; ///< of the compiler
  /// Tells its code from any other, for the pipelines that are kept on disk; empty: none are.
  const std::optional<Digest> identity;
  PipelineCache pipelines;
  // What a warm-up profile makes it from again; neither for a library from a file. Set before
  // anybody else sees the object.
  std::shared_ptr<const LibraryRequest> request;
  bool is_builtin = false;

  bool logs() const { return request && request->enable_logging; }
};

/// The names of all functions, kernels or not.
std::vector<std::string> names_of(id<MTLLibrary> library);

/// Throws std::out_of_range when the library has no such kernel.
objc::Retained<id<MTLFunction>> kernel_of(const Library::Impl &library, const std::string &name);

/// Compiles on the calling thread, past every cache. Throws what Device::compile does.
std::shared_ptr<Library::Impl> compile_library(const std::shared_ptr<Device::Impl> &device,
                                               const LibraryRequest &request);
/// Throws Error{compile}. `keeps_pipelines`: on disk, between runs.
std::shared_ptr<Library::Impl> open_library(const std::shared_ptr<Device::Impl> &device,
                                            const std::filesystem::path &path,
                                            bool keeps_pipelines);

} // namespace metalcore
