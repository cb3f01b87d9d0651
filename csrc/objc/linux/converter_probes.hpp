#pragma once

#include <cstddef>
#include <span>

namespace metalcore::objc {

/// While one lives, GNUstep's questions whether iconv knows an encoding are answered with yes on
/// the thread that made it. GNUstep asks for some 25 encodings when it sets its strings up, and
/// iconv loads a shared object for each: 3 ms of waits for the disk and for the dynamic loader's
/// lock, in every process, for conversions that hardly any makes. Those that are made open their
/// converter anyway, and fail then if there is none.
///
/// It exchanges the entry for iconv_open in the table through which GNUstep calls other libraries,
/// and puts it back. Where that is not possible, GNUstep is slower and nothing else changes.
class ConverterProbes {
public:
  /// `function` is any function of the library whose questions are meant.
  explicit ConverterProbes(const void *function);
  ~ConverterProbes();
  ConverterProbes(const ConverterProbes &) = delete;
  ConverterProbes &operator=(const ConverterProbes &) = delete;

private:
  void set(const void *target) const;

  const void **slot_ = nullptr;
  std::span<std::byte> protected_; ///< pages around the slot that the loader made read-only
};

} // namespace metalcore::objc
