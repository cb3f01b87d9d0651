#pragma once

#include "core/private_file.hpp"
#include "objc/retained.hpp"
#include "support/disk_store.hpp"

#import <Metal/Metal.h>

#include <memory>
#include <optional>
#include <string>

namespace metalcore {

/// Bytes that `archived` returned once, as one of Metal's binary archives. Any thread.
class OpenArchive {
public:
  /// Null unless they are one that this Metal reads.
  static std::unique_ptr<OpenArchive> holding(id<MTLDevice> device, const std::string &bytes);

  id<MTLBinaryArchive> metal() const { return metal_.get(); }

private:
  std::unique_ptr<PrivateFile> file_; ///< Metal may read from it as long as the archive lives
  objc::Retained<id<MTLBinaryArchive>> metal_;
};

/// The machine code of one pipeline as a binary archive; written by way of a temporary file beside
/// `files`. Empty where Metal cannot make or write it. Any thread.
std::optional<std::string> archived(id<MTLDevice> device, MTLComputePipelineDescriptor *descriptor,
                                    DiskStore &files);

} // namespace metalcore
