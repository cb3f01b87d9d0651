#include "bindings.hpp"

#include "metalcore/warmup.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>

namespace metalcore::python {
namespace {

const char *state_name(WarmupState state) {
  constexpr const char *names[] = {"disabled", "skipped", "running", "done", "failed", "cancelled"};
  return names[static_cast<std::size_t>(state)];
}

std::chrono::nanoseconds nanoseconds(double seconds) {
  constexpr double longest = 1e9; // 30 years: what nanoseconds can count
  if (std::isnan(seconds))
    return std::chrono::nanoseconds(0);
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::duration<double>(std::clamp(seconds, -longest, longest)));
}

std::string text_of(const WarmupReport &report) {
  std::string text = std::string("<metalcore.WarmupReport ") + state_name(report.state);
  for (const WarmupStage &stage : report.stages) {
    text += ", " + stage.name + " " + std::to_string(static_cast<int>(stage.seconds * 1e3 + 0.5)) +
            " ms";
  }
  return text + ">";
}

std::optional<std::string> error_of(const WarmupReport &report) {
  if (report.state != WarmupState::failed)
    return std::nullopt;
  return report.reason;
}

void bind_report(nb::module_ &m) {
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
      .def_prop_ro("error", &error_of, "What made it fail, else None. Logged once.")
      .def_ro("stages", &WarmupReport::stages, "Those begun, in order.")
      .def_ro("cpu_seconds", &WarmupReport::cpu_seconds,
              "CPU time of the warm-up's thread and the compile threads.")
      .def_ro("pipelines_built", &WarmupReport::pipelines_built, "In this process, by anybody.")
      .def_ro("cache_hits", &WarmupReport::cache_hits, "Of the pipeline cache.")
      .def_ro("cache_misses", &WarmupReport::cache_misses)
      .def_ro("profile_built", &WarmupReport::profile_built,
              "Pipelines that were replayed from the profile.")
      .def_ro("profile_failed", &WarmupReport::profile_failed, "Those that could not be built.")
      .def_ro("profile_blocked", &WarmupReport::profile_blocked,
              "Those that were not tried, because they failed or crashed before.")
      .def_ro("kernels_wanted", &WarmupReport::kernels_wanted,
              "Of the argument `kernels`, in all calls.")
      .def_ro("kernels_done", &WarmupReport::kernels_done, "Of those, built or failed.")
      .def("__repr__", &text_of);
}

void bind_kernels(nb::module_ &m) {
  using Released = nb::call_guard<GilReleased>;
  nb::class_<WarmupKernel>(m, "WarmupKernel", "A kernel to be built ahead of its first use.")
      .def(
          "__init__",
          [](WarmupKernel *self, std::string name, FunctionConstants constants, Library library) {
            new (self)
                WarmupKernel{std::move(name), std::move(constants), std::move(library), {}, {}};
          },
          nb::arg("name"), nb::arg("constants"), nb::arg("library"))
      .def(
          "__init__",
          [](WarmupKernel *self, std::string name, FunctionConstants constants,
             std::string source) {
            new (self)
                WarmupKernel{std::move(name), std::move(constants), {}, std::move(source), {}};
          },
          nb::arg("name"), nb::arg("constants"), nb::arg("source"));
  nb::class_<KernelBuilds>(m, "KernelBuilds", "Kernels that are being built.")
      .def(
          "wait",
          [](const KernelBuilds &self, double timeout) { return self.wait(nanoseconds(timeout)); },
          nb::arg("timeout"), Released(), "Waits for all, `timeout` seconds at the most.")
      .def_prop_ro("wanted", &KernelBuilds::wanted)
      .def_prop_ro("done", &KernelBuilds::done, "Built or failed.")
      .def_prop_ro("failures", &KernelBuilds::failures, "A sentence for each that failed.")
      .def("check", &KernelBuilds::check, "Raises what the first that failed raised.");
  m.def("build_kernels", &build_kernels, nb::arg("kernels"), Released(),
        "Begins to build kernels, several at once.");
  m.def(
      "read_warmup_profile", [](const std::string &file) { return read_warmup_profile(file); },
      nb::arg("file"), Released(), "The kernels that a profile names.");
  m.def(
      "warmup_profile_path", [] { return warmup_profile_path().string(); }, Released(),
      "Where this program's profile is kept; empty when none is.");
}

/// What tells this program from others, the same at its next start. Empty for the prompt, for -c,
/// for standard input, and for metalcore's own command.
std::string program_identity() {
  const nb::module_ sys = nb::module_::import_("sys");
  const nb::object modules = sys.attr("modules");
  const nb::object main = modules.attr("get")("__main__");
  nb::object file = nb::getattr(main, "__file__", nb::none());
  std::string argument;
  if (const nb::object argv = nb::getattr(sys, "argv", nb::none());
      nb::isinstance<nb::list>(argv) && nb::len(argv) > 0 && nb::isinstance<nb::str>(argv[0]))
    argument = nb::cast<std::string>(argv[0]);
  if (file.is_none() && argument == "-m") {
    // The module's package is being imported; which module, the original command line says.
    const auto words = nb::cast<std::vector<std::string>>(sys.attr("orig_argv"));
    const auto option = std::ranges::find(words, "-m");
    const std::string module = option < words.end() - 1 ? *(option + 1) : "";
    if (module.empty() || module == "metalcore" || module.starts_with("metalcore."))
      return {};
    return "-m " + module + " of " + nb::cast<std::string>(sys.attr("prefix"));
  }
  const std::string path = nb::isinstance<nb::str>(file) ? nb::cast<std::string>(file) : argument;
  std::error_code error;
  const std::filesystem::path script = std::filesystem::canonical(path, error);
  return error || !std::filesystem::is_regular_file(script, error) ? "" : script.string();
}

} // namespace

void name_program() noexcept {
  try {
    set_program(program_identity());
  } catch (nb::python_error &error) { // a strange environment has no profile
    set_program({});
  } catch (const std::exception &) {
    set_program({});
  }
}

void bind_warmup(nb::module_ &m) {
  using Released = nb::call_guard<GilReleased>;
  bind_report(m);
  bind_kernels(m);
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
