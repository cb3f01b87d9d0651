#include "bindings.hpp"

#include "metalcore/warmup.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace metalcore::python {
namespace {

const char *state_name(WarmupState state) {
  constexpr const char *names[] = {"disabled", "skipped", "running", "done", "failed", "cancelled"};
  return names[static_cast<std::size_t>(state)];
}

std::chrono::nanoseconds nanoseconds(double seconds) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::duration<double>(seconds));
}

std::string text_of(const WarmupReport &report) {
  std::string text = std::string("<metalcore.WarmupReport ") + state_name(report.state);
  for (const WarmupStage &stage : report.stages) {
    text += ", " + stage.name + " " + std::to_string(static_cast<int>(stage.seconds * 1e3 + 0.5)) +
            " ms";
  }
  return text + ">";
}

} // namespace

void bind_warmup(nb::module_ &m) {
  using Released = nb::call_guard<GilReleased>;
  nb::class_<WarmupStage>(m, "WarmupStage", "One step of the warm-up.")
      .def_ro("name", &WarmupStage::name)
      .def_ro("seconds", &WarmupStage::seconds, "So far, while the stage runs.")
      .def_ro("done", &WarmupStage::done);
  nb::class_<WarmupReport>(m, "WarmupReport", "How far the warm-up is and what it took.")
      .def_prop_ro(
          "state", [](const WarmupReport &self) { return state_name(self.state); },
          nb::sig("def state(self) -> typing.Literal['disabled', 'skipped', 'running', 'done', "
                  "'failed', 'cancelled']"))
      .def_ro("reason", &WarmupReport::reason, "Why it did not end well; empty otherwise.")
      .def_ro("stages", &WarmupReport::stages, "Those begun, in order.")
      .def_ro("cpu_seconds", &WarmupReport::cpu_seconds, "CPU time of the warm-up thread.")
      .def_ro("pipelines_built", &WarmupReport::pipelines_built, "In this process, by anybody.")
      .def_ro("cache_hits", &WarmupReport::cache_hits, "Of the pipeline cache.")
      .def_ro("cache_misses", &WarmupReport::cache_misses)
      .def("__repr__", &text_of);
  m.def(
      "begin_warmup", [] { return warmup({.blocking = false, .timeout = {}}); }, Released(),
      "Starts the warm-up if nothing did, whatever the preferences say.");
  m.def(
      "wait_for_warmup",
      [](std::size_t seen, double timeout) { return wait_for_warmup(seen, nanoseconds(timeout)); },
      nb::arg("seen"), nb::arg("timeout"), Released(),
      "Waits until more than `seen` stages are done, the warm-up ends, or `timeout` seconds pass.");
  m.def("warmup_status", &warmup_status, Released());
}

} // namespace metalcore::python
