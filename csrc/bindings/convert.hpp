#pragma once

#include "bindings.hpp"

#include "metalcore/array.hpp"

#include <optional>
#include <vector>

namespace metalcore::python {

/// A DType, its name, a NumPy data type or scalar class, or bool, int, float or complex.
DType to_dtype(nb::handle value);
/// An integer or a sequence of them.
Shape to_shape(nb::handle value);
std::vector<int64_t> to_integers(nb::handle value);
/// A Python number, or a NumPy scalar, which counts as the Python number of its value.
Scalar to_scalar(nb::handle value);
bool is_scalar(nb::handle value);
/// Empty for what is neither an Array nor a scalar.
std::optional<Operand> to_operand(nb::handle value);
/// What stands between the brackets of array[...].
std::vector<Index> to_indices(nb::handle key);
/// The given device, or the default one for None. Without the GIL: it may open the device.
Device to_device(nb::handle value);
nb::object to_python(const Scalar &value);
nb::tuple to_tuple(const Shape &shape);

} // namespace metalcore::python
