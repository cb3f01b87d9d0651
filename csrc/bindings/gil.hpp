#pragma once

#include <Python.h>

namespace metalcore::python {

/// Gives the GIL back while native code works. Unlike nanobind's guard it never takes it again
/// while the interpreter ends, on any thread but the one that ends it: Python would end such a
/// thread by unwinding its stack, which C++ answers by ending the process. The thread stops for
/// ever instead, as it does from Python 3.14 on.
class GilReleased {
public:
  GilReleased() : state_(PyEval_SaveThread()) {}
  ~GilReleased();
  GilReleased(const GilReleased &) = delete;
  GilReleased &operator=(const GilReleased &) = delete;

private:
  PyThreadState *state_;
};

/// From here on only the calling thread takes the GIL after native code.
void keep_gil_for_this_thread();

} // namespace metalcore::python
