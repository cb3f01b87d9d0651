#pragma once

#include "metalcore/array.hpp"

namespace metalcore::ops {

/// The bytes of `value` as one element of `dtype`. DTypeError where the kinds do not mix
/// (a float for an integer), std::overflow_error where an integer is out of range.
std::vector<std::byte> element_bytes(const Scalar &value, DType dtype);
/// One element as a host value.
Scalar element_value(const void *element, DType dtype);
/// True where a scalar of that kind may meet an array of `dtype`.
bool scalar_fits_kind(const Scalar &value, DType dtype);
std::string scalar_text(const Scalar &value); ///< for messages
std::string_view scalar_kind_name(const Scalar &value);

} // namespace metalcore::ops
