#include "bindings.hpp"
#include "convert.hpp"

#include "metalcore/dtype.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

namespace metalcore::python {

void bind_dtype(nb::module_ &m) {
  nb::enum_<DType> dtype(m, "DType", "A data type of array elements. Metal has no float64.");
  for (auto i = static_cast<uint8_t>(DType::bool_); i <= static_cast<uint8_t>(DType::complex64);
       ++i) {
    const auto value = static_cast<DType>(i);
    dtype.value(dtype_name(value).data(), value); // a literal: it ends with a zero
  }
  dtype.def_prop_ro(
           "itemsize", [](DType self) { return item_size(self); }, "Bytes of one element.")
      .def("__str__", [](DType self) { return dtype_name(self); })
      .def("__repr__", [](DType self) { return "metalcore." + std::string(dtype_name(self)); });
  m.def(
      "to_dtype", [](nb::handle value) { return to_dtype(value); }, nb::arg("value").none(),
      nb::sig("def to_dtype(value: object) -> DType"));
  m.def("promote", &promote, nb::arg("left"), nb::arg("right"));
}

} // namespace metalcore::python
