#include "bindings.hpp"

#include "metalcore/preferences.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace metalcore::python {

void bind_preferences(nb::module_ &m) {
  nb::class_<PreferenceValue>(m, "PreferenceValue", "One preference and where it comes from.")
      .def_ro("name", &PreferenceValue::name)
      .def_ro("value", &PreferenceValue::value)
      .def_ro("source", &PreferenceValue::source);
  m.def("describe_preferences", &describe_preferences);
  m.def("preference_warnings", &preference_warnings);
}

} // namespace metalcore::python
