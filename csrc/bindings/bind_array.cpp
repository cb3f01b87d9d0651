#include "array_docs.hpp"
#include "array_exchange.hpp"
#include "convert.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/operators.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

namespace metalcore::python {
namespace {

enum class Side { left, right };

/// The operator with the array on one side; NotImplemented for operands of other types.
template <BinaryOp op, Side side> nb::object apply(const Array &self, nb::handle other) {
  const std::optional<Operand> operand = to_operand(other);
  if (!operand) {
    return nb::borrow(Py_NotImplemented);
  }
  return nb::cast(without_gil([&] {
    return side == Side::left ? binary(op, self, *operand) : binary(op, *operand, self);
  }));
}

template <BinaryOp op> nb::object apply_in_place(nb::handle self, nb::handle other) {
  const std::optional<Operand> operand = to_operand(other);
  if (!operand) {
    return nb::borrow(Py_NotImplemented);
  }
  const auto &target = nb::cast<const Array &>(self);
  without_gil([&] { binary_in_place(op, target, *operand); });
  return nb::borrow(self);
}

template <BinaryOp op> void def_operator(nb::class_<Array> &array, const std::string &name) {
  const auto def = [&](const std::string &prefix, auto function) {
    const std::string method = "__" + prefix + name + "__";
    const std::string signature = "def " + method + "(self, other: Array | complex, /) -> Array";
    array.def(method.c_str(), function, nb::is_operator(), nb::sig(signature.c_str()));
  };
  def("", &apply<op, Side::left>);
  def("r", &apply<op, Side::right>);
  def("i", &apply_in_place<op>);
}

Array sum_of(const Array &self, nb::handle axis, bool keepdims) {
  std::optional<std::vector<int64_t>> axes;
  if (!axis.is_none()) {
    axes = to_integers(axis);
  }
  return without_gil([&] { return sum(self, axes, keepdims); });
}

void assign_item(const Array &self, nb::handle key, nb::handle value) {
  const Array target = view(self, to_indices(key));
  const std::optional<Operand> operand = to_operand(value);
  if (!operand) {
    throw nb::type_error("An Array or a number is expected; convert others with asarray.");
  }
  without_gil([&] {
    if (const auto *array = std::get_if<Array>(&*operand)) {
      assign(target, *array);
    } else {
      fill(target, std::get<Scalar>(*operand));
    }
  });
}

/// The only element, as Python's int, float and complex ask for it: a TypeError if there is none.
nb::object number_of(const Array &self, const char *type, bool is_allowed) {
  if (self.size() != 1 || !is_allowed) {
    throw DTypeError("An array of " + std::to_string(self.size()) + " elements of " +
                     std::string(dtype_name(self.dtype())) + " does not convert to " + type + ".");
  }
  return to_python(without_gil([&] { return item(self); }));
}

/// Elements `begin` to `begin` + size of `shape`, from the dimension `axis` on.
nb::object nested_list(const Array &host, const std::byte *data, std::size_t axis,
                       std::ptrdiff_t offset) {
  if (axis == host.rank()) {
    const std::size_t size = item_size(host.dtype());
    return to_python(element_value(data + static_cast<std::size_t>(offset) * size, host.dtype()));
  }
  nb::list elements;
  for (std::size_t i = 0; i < host.shape()[axis]; ++i) {
    elements.append(nested_list(host, data, axis + 1, offset));
    offset += host.strides()[axis];
  }
  return elements;
}

nb::object to_list(const Array &self) {
  std::vector<std::byte> bytes(self.nbytes());
  const Array packed = without_gil([&] {
    const Array array = contiguous(self);
    to_host(array, bytes.data());
    return array;
  });
  return nested_list(packed, bytes.data(), 0, 0);
}

void def_properties(nb::class_<Array> &array) {
  array
      .def_prop_ro(
          "shape", [](const Array &self) { return to_tuple(self.shape()); },
          nb::sig("def shape(self) -> tuple[int, ...]"), "Extents of the dimensions.")
      .def_prop_ro(
          "strides",
          [](const Array &self) {
            nb::list strides;
            for (const std::ptrdiff_t stride : self.strides()) {
              strides.append(stride * static_cast<std::ptrdiff_t>(item_size(self.dtype())));
            }
            return nb::tuple(strides);
          },
          nb::sig("def strides(self) -> tuple[int, ...]"),
          "Bytes from one element to the next, by dimension.")
      .def_prop_ro("ndim", &Array::rank, "Number of dimensions.")
      .def_prop_ro("size", &Array::size, "Number of elements.")
      .def_prop_ro("nbytes", &Array::nbytes, "Bytes of all elements.")
      .def_prop_ro(
          "itemsize", [](const Array &self) { return item_size(self.dtype()); },
          "Bytes of one element.")
      .def_prop_ro("dtype", &Array::dtype, "Data type of the elements.")
      .def_prop_ro("device", &Array::device, "Where the elements are.")
      .def_prop_ro("buffer", &Array::buffer, "The memory that the array views.")
      .def_prop_ro("is_contiguous", &Array::is_contiguous, "C order without gaps.")
      .def_prop_ro("is_writable", &Array::is_writable, "No two elements share memory.");
}

void def_methods(nb::class_<Array> &array) {
  array
      .def(
          "fill",
          [](const Array &self, nb::handle value) {
            const Scalar scalar = to_scalar(value);
            without_gil([&] { fill(self, scalar); });
          },
          nb::arg("value").none(), nb::sig("def fill(self, value: complex) -> None"), docs::fill)
      .def("sum", &sum_of, nb::arg("axis") = nb::none(), nb::kw_only(), nb::arg("keepdims") = false,
           nb::sig("def sum(self, axis: int | tuple[int, ...] | None = None, *, "
                   "keepdims: bool = False) -> Array"),
           docs::sum)
      .def(
          "reshape",
          [](const Array &self, nb::handle shape) {
            const std::vector<int64_t> extents = to_integers(shape);
            return without_gil([&] { return reshape(self, extents); });
          },
          nb::arg("shape").none(),
          nb::sig("def reshape(self, shape: int | tuple[int, ...]) -> Array"), docs::reshape)
      .def(
          "astype",
          [](const Array &self, nb::handle value, bool copies) {
            const DType dtype = to_dtype(value);
            return without_gil(
                [&] { return copies && dtype == self.dtype() ? copy(self) : astype(self, dtype); });
          },
          nb::arg("dtype").none(), nb::kw_only(), nb::arg("copy") = true,
          nb::sig("def astype(self, dtype: metalcore._typing.DTypeLike, *, copy: bool = True) "
                  "-> Array"),
          docs::astype)
      .def("copy", &copy, nb::call_guard<GilReleased>(), docs::copy)
      .def(
          "item",
          [](const Array &self) { return to_python(without_gil([&] { return item(self); })); },
          nb::sig("def item(self) -> bool | int | float | complex"), docs::item)
      .def("tolist", &to_list, nb::sig("def tolist(self) -> typing.Any"), docs::tolist)
      .def(
          "__getitem__",
          [](const Array &self, nb::handle key) { return view(self, to_indices(key)); },
          nb::arg("key").none(),
          nb::sig("def __getitem__(self, key: metalcore._typing.IndexLike, /) -> Array"),
          "A view: basic indexing with integers, slices, None and `...`.")
      .def(
          "__setitem__", &assign_item, nb::arg("key").none(), nb::arg("value").none(),
          nb::sig("def __setitem__(self, key: metalcore._typing.IndexLike, value: Array | complex, "
                  "/) -> None"));
}

void def_protocols(nb::class_<Array> &array) {
  array
      .def("__len__",
           [](const Array &self) {
             if (self.rank() == 0) {
               throw DTypeError("An array without dimensions has no length.");
             }
             return self.shape()[0];
           })
      .def("__bool__",
           [](const Array &self) {
             const Scalar value = without_gil([&] { return item(self); });
             return std::visit([](auto number) { return number != decltype(number){}; }, value);
           })
      .def("__int__",
           [](const Array &self) {
             const bool is_real = dtype_kind(self.dtype()) != DTypeKind::complex;
             return nb::int_(number_of(self, "int", is_real));
           })
      .def("__float__",
           [](const Array &self) {
             const bool is_real = dtype_kind(self.dtype()) != DTypeKind::complex;
             return nb::float_(number_of(self, "float", is_real));
           })
      .def(
          "__index__",
          [](const Array &self) {
            const DTypeKind kind = dtype_kind(self.dtype());
            return number_of(self, "an index",
                             kind != DTypeKind::complex && kind != DTypeKind::real);
          },
          nb::sig("def __index__(self) -> int"))
      .def(
          "__complex__",
          [](const Array &self) {
            return nb::handle(reinterpret_cast<PyObject *>(&PyComplex_Type))(
                number_of(self, "complex", true));
          },
          nb::sig("def __complex__(self) -> complex"))
      .def(
          "__eq__",
          [](const Array &, nb::handle) -> bool {
            throw DTypeError("Arrays are not compared by ==; compare numpy.asarray of them.");
          },
          nb::arg("other").none(), nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__",
           [](nb::handle self) { return reinterpret_cast<Py_ssize_t>(self.ptr()) >> 4; })
      .def(
          "__repr__",
          [](nb::handle self) {
            return nb::module_::import_("metalcore._exchange").attr("text_of")(self);
          },
          nb::sig("def __repr__(self) -> str"))
      .def(
          "__array__",
          [](nb::handle self, nb::handle dtype, nb::handle copy) {
            return nb::module_::import_("metalcore._exchange").attr("to_numpy")(self, dtype, copy);
          },
          nb::arg("dtype") = nb::none(), nb::arg("copy") = nb::none(),
          nb::sig("def __array__(self, dtype: typing.Any = None, copy: bool | None = None) -> "
                  "typing.Any"),
          "The elements as a NumPy array; without a copy where the storage is shared. Waits.")
      .def("__dlpack__", &to_dlpack, nb::arg("options"),
           nb::sig("def __dlpack__(self, **options: typing.Any) -> typing.Any"),
           "A DLPack capsule of the host's view of shared storage. Waits.")
      .def(
          "__dlpack_device__",
          [](const Array &) { return nb::make_tuple(nb::device::cpu::value, 0); },
          nb::sig("def __dlpack_device__(self) -> tuple[int, int]"));
  // NumPy leaves operators to this class, which refuses NumPy's arrays.
  array.attr("__array_ufunc__") = nb::none();
}

void def_functions(nb::module_ &m) {
  using Released = nb::call_guard<GilReleased>;
  m.def(
      "empty",
      [](nb::handle shape, DType dtype, nb::handle device) {
        const Shape extents = to_shape(shape);
        const Device target = to_device(device);
        return without_gil([&] { return empty(target, extents, dtype); });
      },
      nb::arg("shape").none(), nb::arg("dtype"), nb::arg("device").none(),
      nb::sig("def empty(shape: int | collections.abc.Sequence[int], dtype: DType, "
              "device: Device | None) -> Array"));
  m.def(
      "full",
      [](nb::handle shape, nb::handle value, DType dtype, nb::handle device) {
        const Shape extents = to_shape(shape);
        const Scalar scalar = to_scalar(value);
        const Device target = to_device(device);
        return without_gil([&] { return full(target, extents, scalar, dtype); });
      },
      nb::arg("shape").none(), nb::arg("value").none(), nb::arg("dtype"), nb::arg("device").none(),
      nb::sig("def full(shape: int | collections.abc.Sequence[int], value: complex, dtype: DType, "
              "device: Device | None) -> Array"));
  m.def(
      "arange",
      [](nb::handle start, nb::handle step, std::size_t count, DType dtype, nb::handle device) {
        const Scalar first = to_scalar(start);
        const Scalar distance = to_scalar(step);
        const Device target = to_device(device);
        return without_gil([&] { return arange(target, first, distance, count, dtype); });
      },
      nb::arg("start").none(), nb::arg("step").none(), nb::arg("count"), nb::arg("dtype"),
      nb::arg("device").none(),
      nb::sig("def arange(start: float, step: float, count: int, dtype: DType, "
              "device: Device | None) -> Array"));
  m.def("contiguous", &contiguous, nb::arg("array"), Released(),
        "A C-order copy; the array itself where it is contiguous.");
  m.def("reinterpret", &reinterpret, nb::arg("array"), nb::arg("dtype"),
        "The same bytes as another data type of the same size.");
  m.def(
      "element_bytes",
      [](nb::handle value, DType dtype) {
        const std::vector<std::byte> bytes = element_bytes(to_scalar(value), dtype);
        return nb::bytes(bytes.data(), bytes.size());
      },
      nb::arg("value").none(), nb::arg("dtype"),
      nb::sig("def element_bytes(value: object, dtype: DType) -> bytes"),
      "A number as one element.");
  m.def(
      "is_scalar", [](nb::handle value) { return is_scalar(value); }, nb::arg("value").none(),
      nb::sig("def is_scalar(value: object) -> bool"));
}

} // namespace

void bind_array(nb::module_ &m) {
  nb::class_<Array> array(m, "Array", nb::type_slots(array_slots()), docs::array);
  def_properties(array);
  def_methods(array);
  def_operator<BinaryOp::add>(array, "add");
  def_operator<BinaryOp::subtract>(array, "sub");
  def_operator<BinaryOp::multiply>(array, "mul");
  def_operator<BinaryOp::divide>(array, "truediv");
  def_protocols(array);
  def_functions(m);
  bind_array_exchange(m);
}

} // namespace metalcore::python
