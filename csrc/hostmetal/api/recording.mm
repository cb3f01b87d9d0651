#include "hostmetal/api/recording.hpp"

#include <cstring>

using metalcore::objc::Retained;

namespace hostmetal::api {

void Recording::keep(id object) {
  // Runs of the same object are common: one buffer bound for many dispatches.
  if (object && (kept_.empty() || kept_.back().get() != object))
    kept_.push_back(Retained<id>::retain(object));
}

void *Recording::copy_bytes(const void *bytes, size_t size) {
  if (chunks_.empty() || size > sizeof(Chunk::bytes) - chunk_used_) {
    chunks_.push_back(std::make_unique_for_overwrite<Chunk>());
    chunk_used_ = 0;
  }
  uint8_t *const copy = chunks_.back()->bytes + chunk_used_;
  std::memcpy(copy, bytes, size);
  chunk_used_ += (size + alignof(Chunk) - 1) / alignof(Chunk) * alignof(Chunk);
  return copy;
}

void Recording::update_fence(std::shared_ptr<FenceCount> fence) {
  add(hostmetal::Signal{fence->event, 0});
  fence_uses_.push_back({commands_.size() - 1, std::move(fence)});
}

void Recording::wait_for_fence(std::shared_ptr<FenceCount> fence) {
  add(hostmetal::Wait{fence->event, 0});
  fence_uses_.push_back({commands_.size() - 1, std::move(fence)});
}

void Recording::fail(MTLCommandBufferError code, std::string message,
                     std::optional<size_t> encoder) {
  if (!fault_)
    fault_ = Fault{code, std::move(message), encoder};
}

size_t Recording::begin_encoder(const char *kind) {
  if (open_encoders_ != 0)
    fail(MTLCommandBufferErrorInvalidResource,
         std::string("A ") + kind +
             " command encoder was opened while another encoder of the command buffer was open.");
  ++open_encoders_;
  encoders_.emplace_back();
  return encoders_.size() - 1;
}

std::vector<hostmetal::Command> Recording::take_commands() {
  for (const FenceUse &use : fence_uses_) {
    hostmetal::Command &command = commands_[use.command];
    if (auto *signal = std::get_if<hostmetal::Signal>(&command))
      signal->value = ++use.fence->submitted;
    else
      std::get<hostmetal::Wait>(command).value = use.fence->submitted;
  }
  fence_uses_.clear();
  if (fault_)
    std::erase_if(commands_, [](const hostmetal::Command &command) {
      return !std::holds_alternative<hostmetal::Wait>(command) &&
             !std::holds_alternative<hostmetal::Signal>(command);
    });
  return std::exchange(commands_, {});
}

void Recording::drop_contents() {
  commands_.clear();
  fence_uses_.clear();
  kept_.clear();
  chunks_.clear();
}

} // namespace hostmetal::api
