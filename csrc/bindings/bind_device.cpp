#include "bindings.hpp"

#include "metalcore/buffer.hpp"
#include "metalcore/library.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

namespace metalcore::python {

void bind_device(nb::module_ &m) {
  using Released = nb::call_guard<GilReleased>;
  nb::enum_<StorageMode>(m, "StorageMode")
      .value("shared", StorageMode::shared)
      .value("private", StorageMode::private_);
  nb::enum_<MathMode>(m, "MathMode")
      .value("safe", MathMode::safe)
      .value("relaxed", MathMode::relaxed)
      .value("fast", MathMode::fast);

  nb::class_<Device>(m, "Device", "A Metal device.")
      .def_static("default", &Device::default_device, Released(), "The default device.")
      .def_static("all", &Device::all, Released(), "Every device, the default first.")
      .def_prop_ro("name", &Device::name)
      .def_prop_ro("registry_id", &Device::registry_id)
      .def_prop_ro("has_unified_memory", &Device::has_unified_memory)
      .def_prop_ro("max_buffer_length", &Device::max_buffer_length, "Bytes.")
      .def_prop_ro("max_threadgroup_memory_length", &Device::max_threadgroup_memory_length,
                   "Bytes.")
      .def_prop_ro("max_threads_per_threadgroup", &Device::max_threads_per_threadgroup)
      .def_prop_ro("current_allocated_size", &Device::current_allocated_size, "Bytes.")
      .def_prop_ro("recommended_max_working_set_size", &Device::recommended_max_working_set_size,
                   "Bytes.")
      .def(
          "compile",
          [](const Device &self, std::string_view source, std::map<std::string, std::string> macros,
             std::optional<MathMode> math_mode, bool enable_logging,
             std::map<std::string, std::string> headers) {
            return self.compile(source,
                                {std::move(macros), math_mode, enable_logging, std::move(headers)});
          },
          nb::arg("source"), nb::arg("macros"), nb::arg("math_mode").none(),
          nb::arg("enable_logging"), nb::arg("headers"), Released())
      .def(
          "__eq__", [](const Device &self, const Device &other) { return self == other; },
          nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__", &Device::registry_id)
      .def("__repr__",
           [](const Device &self) { return "<metalcore.Device \"" + self.name() + "\">"; });
}

} // namespace metalcore::python
