#pragma once

#include "bindings.hpp"

namespace metalcore::python {

/// The slots of the buffer protocol, for nb::type_slots.
PyType_Slot *array_slots();
/// How arrays meet host memory: copies, wraps and DLPack.
void bind_array_exchange(nb::module_ &m);
/// Array.__dlpack__ and its device.
nb::object to_dlpack(nb::handle array, nb::kwargs options);

} // namespace metalcore::python
