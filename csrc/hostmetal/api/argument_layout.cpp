#include "hostmetal/api/argument_layout.hpp"

#include "hostmetal/api/constant_values.hpp"

#include <algorithm>

namespace hostmetal::api {

namespace {

// MTLDataTypeVisibleFunctionTable.
constexpr image::DataType function_table_type = 115;

uint64_t round_up(uint64_t value, uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

/// 2x2, 2x3, … 4x4, nine values of MTLDataType.
struct Matrices {
  image::DataType first;
  image::DataType element;
};
// Of one array, so that sizes can be counted.
constexpr uint64_t max_arguments = uint64_t{1} << 32;

constexpr Matrices matrices[] = {{7, 3}, {20, 16}};

ArgumentSlot::Kind kind_of(const image::Member &member) {
  if (member.pointee)
    return ArgumentSlot::Kind::buffer;
  return member.data_type == function_table_type ? ArgumentSlot::Kind::function_table
                                                 : ArgumentSlot::Kind::value;
}

} // namespace

ArgumentLayout::ArgumentLayout(const std::vector<image::Member> &members, uint64_t size,
                               uint64_t alignment)
    : size_(size), alignment_(std::max<uint64_t>(alignment, 1)) {
  add(members, 0, 0);
  std::ranges::sort(slots_, {}, &ArgumentSlot::index);
}

ArgumentLayout::ArgumentLayout(std::vector<ArgumentSlot> slots) : slots_(std::move(slots)) {
  std::ranges::sort(slots_, {}, &ArgumentSlot::index);
  for (ArgumentSlot &slot : slots_) {
    slot.offset = round_up(size_, slot.alignment);
    size_ = slot.offset + slot.size * slot.count;
    alignment_ = std::max(alignment_, slot.alignment);
  }
  size_ = round_up(size_, alignment_);
}

void ArgumentLayout::add(const std::vector<image::Member> &members, uint64_t offset,
                         uint64_t index) {
  for (const image::Member &member : members) {
    const uint64_t count = std::max<uint32_t>(member.array_length, 1);
    if (member.members.empty()) {
      slots_.push_back({.index = index + member.argument_index,
                        .count = count,
                        .offset = offset + member.offset,
                        .size = member.size,
                        .kind = kind_of(member),
                        .pointee = member.pointee});
      continue;
    }
    const uint64_t stride = argument_count(member);
    for (uint64_t element = 0; element < count; ++element)
      add(member.members, offset + member.offset + element * member.size,
          index + member.argument_index + element * stride);
  }
}

const ArgumentSlot *ArgumentLayout::find(uint64_t index) const {
  auto after = std::ranges::upper_bound(slots_, index, {}, &ArgumentSlot::index);
  if (after == slots_.begin())
    return nullptr;
  const ArgumentSlot &slot = *--after;
  return index - slot.index < slot.count ? &slot : nullptr;
}

bool has_shared_index(std::vector<ArgumentSlot> slots) {
  std::ranges::sort(slots, {}, &ArgumentSlot::index);
  uint64_t next = 0;
  for (const ArgumentSlot &slot : slots)
    if (slot.index < next || slot.count > max_arguments ||
        __builtin_add_overflow(slot.index, slot.count, &next))
      return true;
  return false;
}

uint64_t argument_count(const image::Member &member) {
  if (member.members.empty())
    return 1;
  uint64_t count = 0;
  for (const image::Member &inner : member.members)
    count = std::max(count, inner.argument_index +
                                std::max<uint64_t>(inner.array_length, 1) * argument_count(inner));
  return count;
}

DataExtent extent_of(image::DataType type) {
  if (const uint64_t size = size_of(type))
    return {size, size};
  for (const Matrices &kind : matrices)
    if (type >= kind.first && type < kind.first + 9) {
      const uint64_t columns = 2 + (type - kind.first) / 3;
      const uint64_t column = size_of(kind.element + 1 + (type - kind.first) % 3);
      return {columns * column, column};
    }
  return {};
}

} // namespace hostmetal::api
