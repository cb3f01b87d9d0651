#include "bindings.hpp"

#include "metalcore/pipeline.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace metalcore::python {

void bind_pipeline(nb::module_ &m) {
  nb::enum_<ArgumentKind>(m, "ArgumentKind")
      .value("buffer", ArgumentKind::buffer)
      .value("threadgroup_memory", ArgumentKind::threadgroup_memory);
  nb::enum_<Access>(m, "Access")
      .value("read_only", Access::read_only)
      .value("read_write", Access::read_write)
      .value("write_only", Access::write_only);

  nb::class_<Argument>(m, "Argument", "One argument of a kernel, as reflected.")
      .def_ro("name", &Argument::name)
      .def_ro("kind", &Argument::kind)
      .def_ro("access", &Argument::access)
      .def_ro("index", &Argument::index, "n of [[buffer(n)]] or [[threadgroup(n)]].")
      .def_ro("type_name", &Argument::type_name, "The pointee's, as Metal names it.")
      .def_ro("dtype", &Argument::dtype, "Of a scalar or vector pointee, else None.")
      .def_ro("vector_width", &Argument::vector_width)
      .def_ro("type_size", &Argument::type_size, "Bytes of one pointee.")
      .def_ro("type_alignment", &Argument::type_alignment, "Bytes.")
      .def_ro("is_reference", &Argument::is_reference, "One value, not an array.")
      .def_ro("is_used", &Argument::is_used);

  nb::class_<Pipeline>(m, "Pipeline", "A kernel ready to launch.")
      .def_prop_ro("name", &Pipeline::name)
      .def_prop_ro("arguments", &Pipeline::arguments)
      .def_prop_ro("max_total_threads_per_threadgroup",
                   &Pipeline::max_total_threads_per_threadgroup)
      .def_prop_ro("thread_execution_width", &Pipeline::thread_execution_width)
      .def_prop_ro("static_threadgroup_memory_length", &Pipeline::static_threadgroup_memory_length,
                   "Bytes.")
      .def_prop_ro("device", &Pipeline::device);
}

} // namespace metalcore::python
