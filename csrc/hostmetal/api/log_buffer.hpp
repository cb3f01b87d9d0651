#pragma once

#include "hostmetal/executor/executor.hpp"
#include "support/guarded.hpp"

#include <string>
#include <vector>

namespace hostmetal::api {

/// Messages of kernels that wait to be handed out. Thread-safe.
class LogBuffer final : public KernelLog {
public:
  struct Message {
    std::string subsystem, category;
    int level; ///< MTLLogLevel
    std::string text;
  };
  struct Contents {
    std::vector<Message> messages;
    size_t size = 0;    ///< bytes of the messages' texts
    size_t dropped = 0; ///< messages for which there was no room
  };

  /// Messages below `level` (an MTLLogLevel), and those that would exceed `capacity` bytes, are
  /// dropped.
  LogBuffer(int level, size_t capacity) : level_(level), capacity_(capacity) {}

  void write(const KernelMessage &message) noexcept override;
  /// What has come since the last call.
  Contents take();

private:
  const int level_;
  const size_t capacity_;
  metalcore::Guarded<Contents> contents_;
};

} // namespace hostmetal::api
