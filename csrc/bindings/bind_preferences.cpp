#include "bindings.hpp"

#include "metalcore/preferences.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <system_error>

namespace metalcore::python {
namespace {

/// Calls with the GIL released; a system's error becomes Python's OSError.
template <typename Function> auto with_os_errors(Function &&function) {
  try {
    return without_gil(function);
  } catch (const std::system_error &error) {
    const nb::object exception = nb::handle(PyExc_OSError)(error.code().value(), error.what());
    PyErr_SetObject(PyExc_OSError, exception.ptr());
    throw nb::python_error();
  }
}

nb::object value_of(const PreferenceValue &preference) {
  switch (preference.form) {
  case PreferenceForm::flag:
    return nb::bool_(preference.value == "true");
  case PreferenceForm::number:
    return nb::int_(nb::str(preference.value.c_str()));
  case PreferenceForm::text:
    break;
  }
  return nb::str(preference.value.c_str());
}

} // namespace

void bind_preferences(nb::module_ &m) {
  nb::class_<PreferenceValue>(m, "Preference", "One preference and where it comes from.")
      .def_ro("name", &PreferenceValue::name)
      .def_prop_ro("value", &value_of, nb::sig("def value(self) -> bool | int | str"),
                   "As a file has it.")
      .def_ro("source", &PreferenceValue::source, "\"environment\", \"default\", or a file's path.")
      .def("__repr__", [](const PreferenceValue &self) {
        return nb::str("<metalcore.Preference {} = {!r} from {}>")
            .format(self.name, value_of(self), self.source);
      });
  m.def("describe_preferences", &describe_preferences);
  m.def("preference_warnings", &preference_warnings);
  m.def("user_preferences_file", &user_preferences_file);
  m.def(
      "set_preference",
      [](std::string_view name, std::string_view value) {
        with_os_errors([&] { set_preference(name, value); });
      },
      nb::arg("name"), nb::arg("value"));
  m.def(
      "unset_preference",
      [](std::string_view name) { return with_os_errors([&] { return unset_preference(name); }); },
      nb::arg("name"));
}

} // namespace metalcore::python
