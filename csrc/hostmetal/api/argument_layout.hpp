#pragma once

#include "hostmetal/image/reflection.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace hostmetal::api {

/// One member of an argument buffer, or the elements of one that is an array.
struct ArgumentSlot {
  uint64_t index = 0;  ///< of the first element
  uint64_t count = 1;  ///< elements, of consecutive indices
  uint64_t offset = 0; ///< bytes from the argument buffer's start to the first element
  uint64_t size = 0;   ///< bytes of one element
  uint64_t alignment = 1;
  enum class Kind { value, buffer, function_table } kind = Kind::value;
  std::optional<image::Pointee> pointee; ///< of a pointer, where it is known
};

/// What lies where in an argument buffer. Immutable.
class ArgumentLayout {
public:
  /// The layout of a struct with these members.
  ArgumentLayout(const std::vector<image::Member> &members, uint64_t size, uint64_t alignment);
  /// Lays the slots out one after the other, in the order of their indices; their offsets are
  /// ignored.
  explicit ArgumentLayout(std::vector<ArgumentSlot> slots);

  uint64_t size() const { return size_; }           ///< bytes
  uint64_t alignment() const { return alignment_; } ///< bytes
  /// The slot with that index; null if there is none.
  const ArgumentSlot *find(uint64_t index) const;

private:
  void add(const std::vector<image::Member> &members, uint64_t offset, uint64_t index);

  std::vector<ArgumentSlot> slots_; ///< ascending index
  uint64_t size_ = 0;
  uint64_t alignment_ = 1;
};

/// Whether two of the slots claim one index, or one more indices than there are.
bool has_shared_index(std::vector<ArgumentSlot> slots);

/// Indices that one element of a member takes.
uint64_t argument_count(const image::Member &member);

struct DataExtent {
  uint64_t size = 0; ///< bytes; 0 for types that have no values
  uint64_t alignment = 1;
};
/// How a scalar, vector or matrix of that MTLDataType lies in memory.
DataExtent extent_of(image::DataType type);

} // namespace hostmetal::api
