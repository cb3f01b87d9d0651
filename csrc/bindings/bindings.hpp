#pragma once

#include "gil.hpp"

#include <nanobind/nanobind.h>

#include <exception>

namespace metalcore::python {

namespace nb = nanobind;

// One per public header, in the order in which module.cpp calls them.
void bind_error(nb::module_ &m);
void bind_dtype(nb::module_ &m);
void bind_device(nb::module_ &m);
void bind_buffer(nb::module_ &m);
void bind_event(nb::module_ &m);
void bind_pipeline(nb::module_ &m);
void bind_library(nb::module_ &m);
void bind_queue(nb::module_ &m);
void bind_array(nb::module_ &m);
void bind_warmup(nb::module_ &m);
/// Tells the core which program this is, for its warm-up profile. Never fails.
void name_program() noexcept;
void bind_preferences(nb::module_ &m);
void bind_cache(nb::module_ &m);
void bind_log(nb::module_ &m);
void bind_version(nb::module_ &m);

/// Hands over the last messages; later ones go to standard error. For the end of the process.
void end_log();

/// Makes a C++ exception the current Python error; for slots that Python calls without nanobind.
void set_python_error(const std::exception_ptr &error) noexcept;

/// Calls with the GIL released: for everything that compiles, builds, waits, copies or queues.
template <typename Function> auto without_gil(Function &&function) {
  const GilReleased released;
  return function();
}

} // namespace metalcore::python
