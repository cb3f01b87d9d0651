#include "convert.hpp"

#include <nanobind/stl/complex.h>
#include <nanobind/stl/string.h>

#include <string>

namespace metalcore::python {
namespace {

std::string class_name(nb::handle value) {
  return nb::cast<std::string>(value.type().attr("__name__"));
}

bool is_type(nb::handle value, PyTypeObject *type) {
  return value.ptr() == reinterpret_cast<PyObject *>(type);
}

/// A NumPy scalar, not an array: it has no dimensions and gives its value as a Python number.
bool is_numpy_scalar(nb::handle value) {
  return nb::hasattr(value, "item") && nb::hasattr(value, "dtype") &&
         !nb::hasattr(value, "__len__") && !nb::isinstance<Array>(value);
}

int64_t to_integer(nb::handle value, const char *what) {
  if (PyBool_Check(value.ptr()) || !PyIndex_Check(value.ptr())) {
    throw nb::type_error(
        (std::string(what) + " must be an integer, not " + class_name(value) + ".").c_str());
  }
  const nb::object index = nb::steal(PyNumber_Index(value.ptr()));
  if (!index.is_valid()) {
    throw nb::python_error();
  }
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  if (overflow != 0) {
    throw nb::value_error(
        (std::string(what) + " (" + nb::cast<std::string>(nb::str(index)) + ") exceeds 64 bits.")
            .c_str());
  }
  if (number == -1 && PyErr_Occurred() != nullptr) {
    throw nb::python_error();
  }
  return number;
}

Scalar to_integer_scalar(nb::handle value) {
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
  if (overflow == 0) {
    return static_cast<int64_t>(number);
  }
  if (overflow > 0) {
    const unsigned long long wide = PyLong_AsUnsignedLongLong(value.ptr());
    if (PyErr_Occurred() == nullptr) {
      return static_cast<uint64_t>(wide);
    }
    PyErr_Clear();
  }
  throw std::overflow_error("The value " + nb::cast<std::string>(nb::str(value)) +
                            " is out of range for every integer data type.");
}

Slice to_slice(nb::handle value) {
  const auto part = [&](const char *name) -> std::optional<int64_t> {
    const nb::object bound = value.attr(name);
    if (bound.is_none()) {
      return std::nullopt;
    }
    return to_integer(bound, "A bound of a slice");
  };
  return {part("start"), part("stop"), part("step").value_or(1)};
}

} // namespace

DType to_dtype(nb::handle value) {
  if (nb::isinstance<DType>(value)) {
    return nb::cast<DType>(value);
  }
  if (is_type(value, &PyBool_Type)) {
    return DType::bool_;
  }
  if (is_type(value, &PyLong_Type)) {
    return DType::int64;
  }
  if (is_type(value, &PyFloat_Type)) {
    return DType::float32;
  }
  if (is_type(value, &PyComplex_Type)) {
    return DType::complex64;
  }
  nb::object name = nb::borrow(value);
  if (PyType_Check(value.ptr())) { // numpy.float32, ml_dtypes.bfloat16
    name = value.attr("__name__");
  } else if (!nb::isinstance<nb::str>(value)) {
    name = nb::getattr(value, "name", nb::none()); // numpy.dtype("float32")
  }
  if (!nb::isinstance<nb::str>(name)) {
    throw nb::type_error(("A data type is expected, not " + class_name(value) + ".").c_str());
  }
  return parse_dtype(nb::cast<std::string>(name));
}

std::vector<int64_t> to_integers(nb::handle value) {
  if (PyIndex_Check(value.ptr())) {
    return {to_integer(value, "An extent or axis")};
  }
  if (!nb::isinstance<nb::sequence>(value) || nb::isinstance<nb::str>(value)) {
    throw nb::type_error(
        ("An integer or a sequence of integers is expected, not " + class_name(value) + ".")
            .c_str());
  }
  std::vector<int64_t> integers;
  for (const nb::handle element : nb::iter(value)) {
    integers.push_back(to_integer(element, "An extent or axis"));
  }
  return integers;
}

Shape to_shape(nb::handle value) {
  Shape shape;
  for (const int64_t extent : to_integers(value)) {
    if (extent < 0) {
      throw nb::value_error(
          ("Extent " + std::to_string(extent) + " of a shape is negative.").c_str());
    }
    shape.push_back(static_cast<std::size_t>(extent));
  }
  return shape;
}

bool is_scalar(nb::handle value) {
  return PyLong_Check(value.ptr()) || PyFloat_Check(value.ptr()) || PyComplex_Check(value.ptr()) ||
         is_numpy_scalar(value);
}

Scalar to_scalar(nb::handle value) {
  if (PyBool_Check(value.ptr())) {
    return value.ptr() == Py_True;
  }
  if (PyLong_Check(value.ptr())) {
    return to_integer_scalar(value);
  }
  if (PyFloat_Check(value.ptr())) {
    return PyFloat_AsDouble(value.ptr());
  }
  if (PyComplex_Check(value.ptr())) {
    return std::complex<double>(PyComplex_RealAsDouble(value.ptr()),
                                PyComplex_ImagAsDouble(value.ptr()));
  }
  if (is_numpy_scalar(value)) {
    const nb::object number = value.attr("item")();
    if (!is_numpy_scalar(number) && is_scalar(number)) {
      return to_scalar(number);
    }
  }
  throw nb::type_error(("A number is expected, not " + class_name(value) + ".").c_str());
}

std::optional<Operand> to_operand(nb::handle value) {
  if (nb::isinstance<Array>(value)) {
    return nb::cast<Array>(value);
  }
  if (is_scalar(value)) {
    return to_scalar(value);
  }
  return std::nullopt;
}

std::vector<Index> to_indices(nb::handle key) {
  std::vector<Index> indices;
  const auto add = [&](nb::handle value) {
    if (value.is_none()) {
      indices.emplace_back(NewAxis{});
    } else if (value.ptr() == Py_Ellipsis) {
      indices.emplace_back(Ellipsis{});
    } else if (PySlice_Check(value.ptr())) {
      indices.emplace_back(to_slice(value));
    } else {
      indices.emplace_back(to_integer(value, "An index"));
    }
  };
  if (nb::isinstance<nb::tuple>(key)) {
    for (const nb::handle element : nb::borrow<nb::tuple>(key)) {
      add(element);
    }
  } else {
    add(key);
  }
  return indices;
}

Device to_device(nb::handle value) {
  if (!value.is_none()) {
    return nb::cast<Device>(value);
  }
  return without_gil([] { return Device::default_device(); });
}

nb::object to_python(const Scalar &value) {
  return std::visit([](auto number) { return nb::cast(number); }, value);
}

nb::tuple to_tuple(const Shape &shape) {
  nb::list extents;
  for (const std::size_t extent : shape) {
    extents.append(extent);
  }
  return nb::tuple(extents);
}

} // namespace metalcore::python
