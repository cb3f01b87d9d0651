#include "bindings.hpp"

#include "metalcore/library.hpp"
#include "metalcore/pipeline.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

namespace metalcore::python {

void bind_library(nb::module_ &m) {
  using Released = nb::call_guard<GilReleased>;
  nb::class_<FunctionConstant>(m, "FunctionConstant",
                               "A function constant that a kernel depends on.")
      .def_ro("name", &FunctionConstant::name)
      .def_ro("index", &FunctionConstant::index, "n of [[function_constant(n)]].")
      .def_ro("type_name", &FunctionConstant::type_name, "As Metal names it.")
      .def_ro("dtype", &FunctionConstant::dtype, "Of a scalar, else None.")
      .def_ro("is_required", &FunctionConstant::is_required,
              "Without a value there is no pipeline.");
  nb::class_<Library>(m, "Library", "Compiled kernels.")
      .def_prop_ro("kernel_names", &Library::kernel_names)
      .def("__contains__", &Library::contains, nb::arg("kernel"))
      .def("function_constants", &Library::function_constants, nb::arg("kernel"))
      .def_prop_ro("warnings", &Library::warnings, "The compiler's warnings.")
      .def_prop_ro("device", &Library::device)
      .def(
          "pipeline",
          [](const Library &self, std::string_view kernel, FunctionConstants constants) {
            return self.pipeline(kernel, {std::move(constants)});
          },
          nb::arg("kernel"), nb::arg("constants"), Released());
}

} // namespace metalcore::python
