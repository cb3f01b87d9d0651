#include "bindings.hpp"

#include "metalcore/event.hpp"

#include <nanobind/stl/chrono.h>
#include <nanobind/stl/optional.h>

namespace metalcore::python {

void bind_event(nb::module_ &m) {
  using Released = nb::call_guard<GilReleased>;
  nb::class_<Event>(m, "Event", "A 64-bit value that only grows, for queues and the host.")
      .def_prop_ro("value", &Event::value)
      .def("signal", &Event::signal, nb::arg("value"), Released())
      .def(
          "wait",
          [](const Event &self, uint64_t value, std::optional<double> seconds) {
            if (!seconds) {
              return self.wait(value);
            }
            return self.wait(value, std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::duration<double>(*seconds)));
          },
          nb::arg("value"), nb::arg("timeout") = nb::none(), Released(),
          "Waits until the value is reached; False when `timeout` seconds passed first.");
}

} // namespace metalcore::python
