#include "bindings.hpp"

#include "metalcore/buffer.hpp"

namespace metalcore::python {

void bind_buffer(nb::module_ &m) {
  nb::class_<Buffer>(m, "Buffer", "Device memory, shared by the arrays that view it.")
      .def_prop_ro("length", &Buffer::length, "Bytes.")
      .def_prop_ro("storage_mode", &Buffer::storage_mode)
      .def_prop_ro("device", &Buffer::device)
      .def(
          "__eq__", [](const Buffer &self, const Buffer &other) { return self == other; },
          nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__", [](const Buffer &self) {
        return std::hash<std::shared_ptr<Buffer::Impl>>()(self.impl());
      });
}

} // namespace metalcore::python
