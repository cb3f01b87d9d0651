#include "bindings.hpp"

#include "borrowed_memory.hpp"

#include "metalcore/warmup.hpp"

using namespace metalcore;

namespace {

/// At interpreter exit, while Python still works: no native thread outlives it.
void end_of_process() {
  python::keep_gil_for_this_thread();
  python::without_gil([] { shutdown(); });
  python::end_log();
  python::stop_returning_memory();
}

} // namespace

NB_MODULE(_core, m) {
  m.doc() = "The native part of metalcore. Import metalcore instead.";
  // Arrays that are alive at exit are no fault worth a message.
  nanobind::set_leak_warnings(false);

  // The warm-up first: it has the rest of the import to work in. It logs, and replays the profile
  // of the program.
  python::bind_log(m);
  python::name_program();
  start_warmup();

  python::bind_error(m);
  python::bind_dtype(m);
  python::bind_device(m);
  python::bind_buffer(m);
  python::bind_event(m);
  python::bind_pipeline(m);
  python::bind_library(m);
  python::bind_queue(m);
  python::bind_array(m);
  python::bind_warmup(m);
  python::bind_preferences(m);
  python::bind_cache(m);
  python::bind_version(m);

  nanobind::module_::import_("atexit").attr("register")(nanobind::cpp_function(&end_of_process));
}
