#include "bindings.hpp"

#include "metalcore/version.hpp"

#include <nanobind/stl/string.h>

namespace metalcore::python {

void bind_version(nb::module_ &m) {
  m.attr("version") = METALCORE_VERSION;
  nb::class_<Versions>(m, "Versions", "What this process uses.")
      .def_ro("driver", &Versions::driver)
      .def_ro("compiler", &Versions::compiler);
  m.def("versions", &versions, nb::call_guard<GilReleased>());
}

} // namespace metalcore::python
