#pragma once

#include "bindings.hpp"

#include <functional>

namespace metalcore::python {

/// A callback for Device::wrap that keeps a Python object alive until it is called. It may be
/// called on any thread and never takes the GIL: the object is given back to Python later, by a
/// thread that holds it.
std::function<void()> keep_until_called(nb::handle object);

/// From here on, until the process ends, nothing is given back.
void stop_returning_memory();

} // namespace metalcore::python
