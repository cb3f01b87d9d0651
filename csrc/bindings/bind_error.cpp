#include "bindings.hpp"

#include "metalcore/dtype.hpp"
#include "metalcore/error.hpp"

#include <array>

namespace metalcore::python {
namespace {

/// The class of each ErrorKind, in its order; held until the process ends.
std::array<PyObject *, 6> error_classes;

void set_error(const Error &error) {
  PyObject *type = error_classes[static_cast<std::size_t>(error.kind())];
  if (error.kind() != ErrorKind::compile) {
    PyErr_SetString(type, error.what());
    return;
  }
  const nb::object exception = nb::handle(type)(error.what(), error.diagnostics().c_str());
  PyErr_SetObject(type, exception.ptr());
}

void translate(const std::exception_ptr &error, void *) {
  try {
    std::rethrow_exception(error);
  } catch (const Error &failure) {
    set_error(failure);
  } catch (const DTypeError &mistake) {
    PyErr_SetString(PyExc_TypeError, mistake.what());
  }
}

} // namespace

void set_python_error(const std::exception_ptr &error) noexcept {
  try {
    translate(error, nullptr);
  } catch (nb::python_error &python) {
    python.restore();
  } catch (const std::invalid_argument &mistake) {
    PyErr_SetString(PyExc_ValueError, mistake.what());
  } catch (const std::bad_alloc &) {
    PyErr_NoMemory();
  } catch (const std::exception &other) {
    PyErr_SetString(PyExc_RuntimeError, other.what());
  } catch (...) {
    PyErr_SetString(PyExc_RuntimeError, "An unknown error came from metalcore's native part.");
  }
}

void bind_error(nb::module_ &) {
  const nb::module_ errors = nb::module_::import_("metalcore._errors");
  constexpr const char *names[] = {"DeviceError", "CompileError",     "PipelineError",
                                   "LaunchError", "OutOfMemoryError", "UnsupportedError"};
  for (std::size_t i = 0; i < error_classes.size(); ++i) {
    error_classes[i] = nb::object(errors.attr(names[i])).release().ptr();
  }
  nb::register_exception_translator(&translate);
}

} // namespace metalcore::python
