#pragma once

#include "metalcore/array.hpp"

namespace metalcore::ops {

/// True where a scalar of that kind may meet an array of `dtype`.
bool scalar_fits_kind(const Scalar &value, DType dtype);
std::string scalar_text(const Scalar &value); ///< for messages
std::string_view scalar_kind_name(const Scalar &value);

} // namespace metalcore::ops
