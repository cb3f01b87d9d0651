#include "bindings.hpp"

#include "metalcore/cache.hpp"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>

namespace metalcore::python {

void bind_cache(nb::module_ &m) {
  using Released = nb::call_guard<GilReleased>;
  nb::class_<CacheStats>(m, "CacheStats", "What the cache on disk holds and what it was good for.")
      .def_ro("disabled_reason", &CacheStats::disabled_reason,
              "Why the cache is not in use; empty where it is.")
      .def_ro("files", &CacheStats::files, "In the folder.")
      .def_ro("bytes", &CacheStats::bytes, "That the files take.")
      .def_ro("max_size", &CacheStats::max_size, "Bytes; the preference `cache_max_size`.")
      .def_ro("hits", &CacheStats::hits, "Pipelines that this process loaded.")
      .def_ro("misses", &CacheStats::misses,
              "Pipelines that this process looked for and of which nothing was there.")
      .def_ro("damaged", &CacheStats::damaged,
              "Pipelines whose file was damaged or made by another compiler.")
      .def_ro("stored", &CacheStats::stored, "Pipelines that this process wrote.")
      .def_ro("failed_stores", &CacheStats::failed_stores,
              "Pipelines that could not be written: no space, or not allowed.")
      .def_ro("pending", &CacheStats::pending, "Pipelines on their way to the disk.")
      .def("__repr__", [](const CacheStats &self) {
        return "<metalcore.CacheStats " + std::to_string(self.files) + " files, " +
               std::to_string(self.bytes) + " bytes, " + std::to_string(self.hits) + " hits, " +
               std::to_string(self.misses + self.damaged) + " misses>";
      });
  nb::class_<CacheRemoved>(m, "CacheRemoved", "What was removed from the cache.")
      .def_ro("files", &CacheRemoved::files)
      .def_ro("bytes", &CacheRemoved::bytes)
      .def("__repr__", [](const CacheRemoved &self) {
        return "<metalcore.CacheRemoved " + std::to_string(self.files) + " files, " +
               std::to_string(self.bytes) + " bytes>";
      });
  m.def("cache_stats", &cache_stats, Released());
  m.def("cache_path", &cache_path);
  m.def("clear_cache", &clear_cache, Released());
  m.def("prune_cache", &prune_cache, Released());
  m.def(
      "wait_for_cache",
      [](double timeout) {
        return wait_for_cache(std::chrono::duration_cast<std::chrono::nanoseconds>(
            std::chrono::duration<double>(timeout)));
      },
      nb::arg("timeout"), Released(),
      "Waits until what was built so far is on disk; False when `timeout` seconds were not "
      "enough.");
}

} // namespace metalcore::python
