#include "array_exchange.hpp"

#include "borrowed_memory.hpp"
#include "convert.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <memory>

namespace metalcore::python {
namespace {

/// Element codes of the struct module; empty where it has none.
const char *format_of(DType dtype) {
  constexpr const char *formats[] = {"?", "b", "h", "i", "q", "B", "H",
                                     "I", "Q", "e", "",  "f", "Zf"};
  return formats[static_cast<std::size_t>(dtype)];
}

/// What an exported view points into, for as long as it lives.
struct Exported {
  std::vector<std::byte> copy; // of private storage
  std::vector<Py_ssize_t> shape;
  std::vector<Py_ssize_t> strides; // bytes
};

int refuse_buffer(const char *message) {
  PyErr_SetString(PyExc_BufferError, message);
  return -1;
}

bool asks(int flags, int for_what) {
  return (flags & for_what) == for_what;
}

bool is_fortran_order(const Array &array) {
  std::ptrdiff_t step = 1;
  for (std::size_t i = 0; i < array.rank(); ++i) {
    if (array.shape()[i] != 1 && array.strides()[i] != step) {
      return false;
    }
    step *= static_cast<std::ptrdiff_t>(array.shape()[i]);
  }
  return true;
}

int export_buffer(PyObject *self, Py_buffer *view, int flags) {
  view->obj = nullptr;
  const Array &array = *nb::inst_ptr<Array>(self);
  if (*format_of(array.dtype()) == '\0') {
    return refuse_buffer("The buffer protocol has no bfloat16; use numpy.asarray.");
  }
  auto exported = std::make_unique<Exported>();
  // The bytes of an empty array, too, need an address.
  static std::byte nothing{};
  void *data = &nothing;
  bool is_copy = false;
  try {
    without_gil([&] {
      void *shared = array.size() == 0 ? &nothing : host_data(array);
      is_copy = shared == nullptr;
      if (is_copy) {
        exported->copy.resize(array.nbytes());
        to_host(array, exported->copy.data());
      }
      data = is_copy ? exported->copy.data() : shared;
    });
  } catch (...) {
    set_python_error(std::current_exception());
    return -1;
  }
  const bool is_read_only = is_copy || !array.is_writable();
  if (is_read_only && asks(flags, PyBUF_WRITABLE)) {
    return refuse_buffer(
        "The array cannot be written through a buffer: it is a broadcast view or in "
        "private storage.");
  }
  const bool is_c_order = is_copy || array.is_contiguous();
  const bool is_f_order = is_copy ? array.rank() <= 1 : is_fortran_order(array);
  if ((!is_c_order && (!asks(flags, PyBUF_STRIDES) || asks(flags, PyBUF_C_CONTIGUOUS))) ||
      (!is_f_order && asks(flags, PyBUF_F_CONTIGUOUS)) ||
      (!is_c_order && !is_f_order && asks(flags, PyBUF_ANY_CONTIGUOUS))) {
    return refuse_buffer("The array is not contiguous in the order that was asked for.");
  }
  const auto size = static_cast<Py_ssize_t>(item_size(array.dtype()));
  Py_ssize_t step = size;
  exported->shape.assign(array.shape().begin(), array.shape().end());
  exported->strides.resize(array.rank());
  for (std::size_t i = array.rank(); i-- > 0;) {
    exported->strides[i] = is_copy ? step : array.strides()[i] * size;
    step *= exported->shape[i];
  }
  view->buf = data;
  view->len = static_cast<Py_ssize_t>(array.nbytes());
  view->itemsize = size;
  view->readonly = is_read_only ? 1 : 0;
  view->ndim = static_cast<int>(array.rank());
  view->format = asks(flags, PyBUF_FORMAT) ? const_cast<char *>(format_of(array.dtype())) : nullptr;
  view->shape = asks(flags, PyBUF_ND) ? exported->shape.data() : nullptr;
  view->strides = asks(flags, PyBUF_STRIDES) ? exported->strides.data() : nullptr;
  view->suboffsets = nullptr;
  view->internal = exported.release();
  Py_INCREF(self);
  view->obj = self;
  return 0;
}

void release_buffer(PyObject *, Py_buffer *view) {
  delete static_cast<Exported *>(view->internal);
}

constexpr nb::dlpack::dtype dlpack_types[] = {
    {static_cast<uint8_t>(nb::dlpack::dtype_code::Bool), 8, 1},
    {static_cast<uint8_t>(nb::dlpack::dtype_code::Int), 8, 1},
    {static_cast<uint8_t>(nb::dlpack::dtype_code::Int), 16, 1},
    {static_cast<uint8_t>(nb::dlpack::dtype_code::Int), 32, 1},
    {static_cast<uint8_t>(nb::dlpack::dtype_code::Int), 64, 1},
    {static_cast<uint8_t>(nb::dlpack::dtype_code::UInt), 8, 1},
    {static_cast<uint8_t>(nb::dlpack::dtype_code::UInt), 16, 1},
    {static_cast<uint8_t>(nb::dlpack::dtype_code::UInt), 32, 1},
    {static_cast<uint8_t>(nb::dlpack::dtype_code::UInt), 64, 1},
    {static_cast<uint8_t>(nb::dlpack::dtype_code::Float), 16, 1},
    {static_cast<uint8_t>(nb::dlpack::dtype_code::Bfloat), 16, 1},
    {static_cast<uint8_t>(nb::dlpack::dtype_code::Float), 32, 1},
    {static_cast<uint8_t>(nb::dlpack::dtype_code::Complex), 64, 1},
};

DType dtype_of(nb::dlpack::dtype type) {
  for (std::size_t i = 0; i < std::size(dlpack_types); ++i) {
    if (dlpack_types[i] == type) {
      return static_cast<DType>(i);
    }
  }
  if (type.code == static_cast<uint8_t>(nb::dlpack::dtype_code::Float) && type.bits == 64) {
    return parse_dtype("float64"); // throws, in its own words
  }
  if (type.code == static_cast<uint8_t>(nb::dlpack::dtype_code::Complex) && type.bits == 128) {
    return parse_dtype("complex128");
  }
  throw DTypeError("Elements of DLPack type code " + std::to_string(type.code) + " with " +
                   std::to_string(type.bits) + " bits are no data type of metalcore.");
}

template <typename HostArray> Shape shape_of(const HostArray &host) {
  Shape shape;
  for (std::size_t i = 0; i < host.ndim(); ++i) {
    shape.push_back(host.shape(i));
  }
  return shape;
}

using ReadOnlyHost = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;
using WritableHost = nb::ndarray<nb::c_contig, nb::device::cpu>;

Array copy_from_host(const ReadOnlyHost &host, nb::handle device) {
  const DType dtype = dtype_of(host.dtype());
  const Device target = to_device(device);
  return without_gil([&] { return from_host(target, host.data(), shape_of(host), dtype); });
}

std::optional<Array> share_host(nb::handle object, nb::handle device) {
  const auto host = nb::cast<WritableHost>(object, false);
  const DType dtype = dtype_of(host.dtype());
  const Device target = to_device(device);
  const std::function<void()> release = keep_until_called(object);
  auto array =
      without_gil([&] { return wrap_host(target, host.data(), shape_of(host), dtype, release); });
  if (!array) {
    release();
  }
  return array;
}

void copy_to_host(const Array &array, const WritableHost &host) {
  if (shape_of(host) != array.shape() || dtype_of(host.dtype()) != array.dtype()) {
    throw nb::value_error("The host's array has another shape or data type.");
  }
  without_gil([&] { to_host(array, host.data()); });
}

} // namespace

PyType_Slot *array_slots() {
  static PyType_Slot slots[] = {
      {Py_bf_getbuffer, reinterpret_cast<void *>(&export_buffer)},
      {Py_bf_releasebuffer, reinterpret_cast<void *>(&release_buffer)},
      {0, nullptr},
  };
  return slots;
}

nb::object to_dlpack(nb::handle object, nb::kwargs options) {
  const auto &array = nb::cast<const Array &>(object);
  void *data = without_gil([&] { return host_data(array); });
  if (data == nullptr) {
    PyErr_SetString(PyExc_BufferError,
                    "An array in private storage has no host memory; use numpy.asarray.");
    throw nb::python_error();
  }
  const std::vector<int64_t> strides(array.strides().begin(), array.strides().end());
  const nb::ndarray<nb::array_api> view(
      data, array.rank(), array.shape().data(), object, strides.data(),
      dlpack_types[static_cast<std::size_t>(array.dtype())], nb::device::cpu::value);
  return nb::cast(view).attr("__dlpack__")(**options);
}

void bind_array_exchange(nb::module_ &m) {
  m.def("copy_from_host", &copy_from_host, nb::arg("host"), nb::arg("device").none(),
        nb::sig("def copy_from_host(host: object, device: Device | None) -> Array"),
        "An array with a copy of C-contiguous host memory.");
  m.def("share_host", &share_host, nb::arg("host"), nb::arg("device").none(),
        nb::sig("def share_host(host: object, device: Device | None) -> Array | None"),
        "An array in the host's memory, or None where that does not begin a page.");
  m.def("copy_to_host", &copy_to_host, nb::arg("array"), nb::arg("host"),
        nb::sig("def copy_to_host(array: Array, host: object) -> None"),
        "Waits for the array and copies it into C-contiguous host memory.");
}

} // namespace metalcore::python
