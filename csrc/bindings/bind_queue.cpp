#include "bindings.hpp"

#include "metalcore/array.hpp"
#include "metalcore/queue.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>

namespace metalcore::python {
namespace {

/// Arrays become bindings, bytes values, and integers lengths of threadgroup memory.
LaunchArgument to_argument(nb::handle value) {
  if (nb::isinstance<Array>(value)) {
    return nb::cast<const Array &>(value).binding();
  }
  if (nb::isinstance<nb::bytes>(value)) {
    const auto text = nb::borrow<nb::bytes>(value);
    const auto *data = static_cast<const std::byte *>(text.data());
    return Bytes{{data, data + text.size()}};
  }
  return ThreadgroupMemory{nb::cast<std::size_t>(value)};
}

void launch(const Queue &queue, const Pipeline &pipeline, const nb::list &arguments,
            const Size3 &threads, const std::optional<Size3> &group_size) {
  std::vector<LaunchArgument> converted;
  converted.reserve(arguments.size());
  for (const nb::handle argument : arguments) {
    converted.push_back(to_argument(argument));
  }
  without_gil([&] { queue.launch(pipeline, converted, {threads, group_size}); });
}

} // namespace

void bind_queue(nb::module_ &m) {
  using Released = nb::call_guard<GilReleased>;
  nb::class_<Queue>(m, "Queue", "An ordered list of work for a device.")
      .def_static("default", &Queue::default_queue, nb::arg("device"), Released(),
                  "The queue on which arrays and kernels work.")
      .def("launch", &launch, nb::arg("pipeline"), nb::arg("arguments"), nb::arg("threads"),
           nb::arg("group_size").none(),
           nb::sig(
               "def launch(self, pipeline: Pipeline, arguments: list[Array | bytes | int], "
               "threads: tuple[int, int, int], group_size: tuple[int, int, int] | None) -> None"),
           "Queues a kernel; an integer is a length of threadgroup memory in bytes.")
      .def("signal", &Queue::signal, nb::arg("event"), nb::arg("value"), Released())
      .def("wait", &Queue::wait, nb::arg("event"), nb::arg("value"), Released())
      .def("synchronize", &Queue::synchronize, Released())
      .def_prop_ro("device", &Queue::device);
  m.def("synchronize", static_cast<void (*)()>(&synchronize), Released());
}

} // namespace metalcore::python
