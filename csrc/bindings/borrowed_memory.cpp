#include "borrowed_memory.hpp"

#include <memory>
#include <mutex>
#include <vector>

namespace metalcore::python {
namespace {

struct Returned {
  std::mutex mutex;
  std::vector<PyObject *> objects;
  bool stopped = false;
};

/// Never destroyed: threads may come here while the process ends.
Returned &returned() {
  static auto *instance = new Returned;
  return *instance;
}

int give_back(void *) {
  std::vector<PyObject *> objects;
  {
    const std::lock_guard lock(returned().mutex);
    objects.swap(returned().objects);
  }
  for (PyObject *object : objects) {
    Py_DECREF(object);
  }
  return 0;
}

} // namespace

std::function<void()> keep_until_called(nb::handle object) {
  give_back(nullptr);
  object.inc_ref();
  return [kept = object.ptr()] {
    const std::lock_guard lock(returned().mutex);
    if (returned().stopped) {
      return;
    }
    returned().objects.push_back(kept);
    // Python's queue may be full; what is left then goes with the next object.
    (void)Py_AddPendingCall(&give_back, nullptr);
  };
}

void stop_returning_memory() {
  const std::lock_guard lock(returned().mutex);
  returned().stopped = true;
}

} // namespace metalcore::python
