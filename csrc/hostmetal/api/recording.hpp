#pragma once

#import <Metal/Metal.h>

#include "hostmetal/api/fence.h"
#include "hostmetal/api/validation.hpp"
#include "hostmetal/executor/executor.hpp"
#include "objc/retained.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace hostmetal::api {

/// What is wrong with a command buffer.
struct Fault {
  MTLCommandBufferError code;
  std::string message;           ///< one sentence
  std::optional<size_t> encoder; ///< the number of the encoder at fault
};

/// What a command buffer keeps of one of its encoders.
struct EncoderRecord {
  metalcore::objc::Retained<NSString *> label;
  std::vector<metalcore::objc::Retained<NSString *>> signposts;
};

/// The commands of one command buffer, shared with its encoders; one thread at a time until it is
/// sealed.
class Recording {
public:
  void add(hostmetal::Command command) { commands_.push_back(std::move(command)); }
  /// Where the kernels of dispatches that are added from now on log.
  void log_to(std::shared_ptr<hostmetal::KernelLog> log) { log_ = std::move(log); }
  const std::shared_ptr<hostmetal::KernelLog> &log() const { return log_; }
  /// Keeps an object alive until the commands have run.
  void keep(id object);
  /// A copy that lives until the commands have run, aligned for every MSL type; at most
  /// max_copied_bytes.
  void *copy_bytes(const void *bytes, size_t size);

  void update_fence(std::shared_ptr<FenceCount> fence);
  void wait_for_fence(std::shared_ptr<FenceCount> fence);

  /// Reports a misuse; the first one counts, and none of the commands will run.
  void fail(MTLCommandBufferError code, std::string message,
            std::optional<size_t> encoder = std::nullopt);
  const std::optional<Fault> &fault() const { return fault_; }

  /// Numbers a new encoder of `kind` ("compute", "blit"). Opening a second one is a fault.
  size_t begin_encoder(const char *kind);
  void end_encoder() { --open_encoders_; }
  bool has_open_encoder() const { return open_encoders_ != 0; }
  EncoderRecord &encoder(size_t number) { return encoders_[number]; }
  const std::vector<EncoderRecord> &encoders() const { return encoders_; }

  /// Nothing is recorded after this.
  void seal() { is_sealed_ = true; }
  bool is_sealed() const { return is_sealed_; }

  /// The commands for the stream, once. Of a faulty recording these are its waits and signals only:
  /// it does no work, but it keeps its place in the order and lets nobody wait for ever.
  std::vector<hostmetal::Command> take_commands();
  /// Lets go of all that the commands used.
  void drop_contents();

private:
  struct FenceUse {
    size_t command; ///< a Wait or Signal whose value is still open
    std::shared_ptr<FenceCount> fence;
  };
  struct alignas(64) Chunk {
    uint8_t bytes[4 * max_copied_bytes];
  };

  std::vector<hostmetal::Command> commands_;
  std::shared_ptr<hostmetal::KernelLog> log_;
  std::vector<FenceUse> fence_uses_;
  std::vector<metalcore::objc::Retained<id>> kept_;
  std::vector<std::unique_ptr<Chunk>> chunks_;
  size_t chunk_used_ = 0; ///< bytes of the last chunk
  std::vector<EncoderRecord> encoders_;
  size_t open_encoders_ = 0;
  std::optional<Fault> fault_;
  bool is_sealed_ = false;
};

} // namespace hostmetal::api
