#include "bindings.hpp"

#include "metalcore/log.hpp"

#include <nanobind/stl/string_view.h>

#include <array>
#include <stdexcept>
#include <utility>

namespace metalcore::python {
namespace {

constexpr std::array<const char *, 4> level_names = {"debug", "info", "warning", "error"};

/// Called with level, text and time of each message; held until the process ends.
PyObject *receiver = nullptr;

LogLevel level_of(std::string_view name) {
  for (std::size_t i = 0; i < level_names.size(); ++i)
    if (name == level_names[i])
      return static_cast<LogLevel>(i);
  throw std::invalid_argument("There is no log level \"" + std::string(name) + "\".");
}

/// False, with Python's error set, when the receiver was interrupted.
bool deliver(const LogMessage &message) {
  PyObject *text = PyUnicode_DecodeUTF8(message.text.data(),
                                        static_cast<Py_ssize_t>(message.text.size()), "replace");
  PyObject *result =
      text ? PyObject_CallFunction(receiver, "sOd",
                                   level_names[static_cast<std::size_t>(message.level)], text,
                                   message.time)
           : nullptr;
  Py_XDECREF(text);
  Py_XDECREF(result);
  if (result)
    return true;
  if (!PyErr_ExceptionMatches(PyExc_Exception))
    return false; // KeyboardInterrupt, SystemExit
  PyErr_WriteUnraisable(receiver);
  return true;
}

/// On a thread that holds the GIL; -1 with Python's error set, as a pending call has it.
int deliver_all(void *) {
  if (!receiver)
    return 0; // it takes what waits when it comes
  for (std::size_t count = begin_log_delivery(); count > 0; --count) {
    const auto message = next_log_message();
    if (!message)
      break;
    if (!deliver(*message))
      return -1;
  }
  return 0;
}

void deliver_or_throw() {
  if (deliver_all(nullptr) != 0)
    throw nb::python_error();
}

} // namespace

void bind_log(nb::module_ &m) {
  m.def(
      "set_log_receiver",
      [](nb::callable function) {
        Py_XDECREF(std::exchange(receiver, function.release().ptr()));
        deliver_or_throw();
      },
      nb::arg("receiver"),
      nb::sig("def set_log_receiver(receiver: collections.abc.Callable[[str, str, float], object]) "
              "-> None"),
      "Called with level, text and time (seconds since 1970) of each message, on Python's main "
      "thread.");
  m.def("deliver_log", &deliver_or_throw, "Hands over the messages that wait.");
  m.def(
      "write_log",
      [](std::string_view level, std::string_view text) { write_log(level_of(level), text); },
      nb::arg("level"), nb::arg("text"), nb::call_guard<GilReleased>(),
      "Writes a message like those of the native part.");
  m.def(
      "write_log_to_stderr",
      [](std::string_view level, std::string_view text) {
        write_log_to_stderr(level_of(level), text);
      },
      nb::arg("level"), nb::arg("text"), nb::call_guard<GilReleased>());
  // No thread of the native part takes the GIL: the interpreter calls back when it comes by.
  queue_log_messages([] { return Py_AddPendingCall(&deliver_all, nullptr) == 0; });
}

void end_log() {
  close_log_queue(); // the interpreter runs no pending calls any more
  if (deliver_all(nullptr) != 0)
    PyErr_WriteUnraisable(receiver);
  while (const auto message = next_log_message()) // there was no receiver, or it was interrupted
    write_log_to_stderr(message->level, message->text);
}

} // namespace metalcore::python
