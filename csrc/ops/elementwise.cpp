#include "ops/dispatch.hpp"
#include "ops/scalar.hpp"

namespace metalcore {
namespace {

std::string_view name_of(BinaryOp op) {
  constexpr std::string_view names[] = {"add", "subtract", "multiply", "divide"};
  return names[static_cast<std::size_t>(op)];
}

[[noreturn]] void refuse_mix(BinaryOp op, std::string_view left, std::string_view right) {
  throw DTypeError("Cannot " + std::string(name_of(op)) + " " + std::string(left) + " and " +
                   std::string(right) +
                   ": the array API standard leaves this mix undefined; convert one with astype.");
}

/// The data type in which both operands are combined.
DType common_dtype(BinaryOp op, const Operand &left, const Operand &right) {
  const auto *a = std::get_if<Array>(&left);
  const auto *b = std::get_if<Array>(&right);
  DType dtype{};
  if (a != nullptr && b != nullptr) {
    const std::optional<DType> promoted = promote(a->dtype(), b->dtype());
    if (!promoted) {
      refuse_mix(op, dtype_name(a->dtype()), dtype_name(b->dtype()));
    }
    dtype = *promoted;
  } else if (a != nullptr || b != nullptr) {
    const Scalar &scalar = std::get<Scalar>(a != nullptr ? right : left);
    dtype = (a != nullptr ? a : b)->dtype();
    if (!ops::scalar_fits_kind(scalar, dtype)) {
      const std::string kind = "the number " + ops::scalar_text(scalar);
      refuse_mix(op, a != nullptr ? dtype_name(dtype) : kind,
                 a != nullptr ? kind : dtype_name(dtype));
    }
  } else {
    throw DTypeError("One operand at least must be an array.");
  }
  const DTypeKind kind = dtype_kind(dtype);
  if (kind == DTypeKind::boolean) {
    throw DTypeError("Cannot " + std::string(name_of(op)) + " booleans; convert them with astype.");
  }
  if (op == BinaryOp::divide && kind != DTypeKind::real && kind != DTypeKind::complex) {
    return DType::float32;
  }
  return dtype;
}

/// An operand in the common data type, as it is walked and bound.
struct Source {
  std::optional<Array> array;
  Bytes element; // of a scalar

  LaunchArgument at(std::ptrdiff_t offset) const {
    return array ? LaunchArgument(ops::binding_at(*array, offset)) : LaunchArgument(element);
  }
  Strides strides(const Shape &shape) const {
    return array ? ops::broadcast_strides(*array, shape) : Strides(shape.size(), 0);
  }
  /// All elements laid out anew, for a walk that would need too many dimensions.
  void spread(const Shape &shape) {
    if (array) {
      array = contiguous(broadcast_to(*array, shape));
    }
  }
};

Source source_of(const Operand &operand, DType dtype) {
  if (const auto *array = std::get_if<Array>(&operand)) {
    return {astype(*array, dtype), {}};
  }
  return {std::nullopt, {element_bytes(std::get<Scalar>(operand), dtype)}};
}

Shape shape_of(const Operand &operand) {
  const auto *array = std::get_if<Array>(&operand);
  return array != nullptr ? array->shape() : Shape{};
}

std::string kernel_name(BinaryOp op, const shaders::BinaryLayout &layout, DType dtype) {
  std::string_view suffix = "strided";
  if (layout.output.x == 1) {
    if (layout.left.x == 1 && layout.right.x == 1) {
      suffix = "vv";
    } else if (layout.left.x == 1 && layout.right.x == 0) {
      suffix = "vs";
    } else if (layout.left.x == 0 && layout.right.x == 1) {
      suffix = "sv";
    }
  }
  return std::string(name_of(op)) + "_" + std::string(dtype_name(ops::unsigned_twin(dtype))) + "_" +
         std::string(suffix);
}

/// Fills `output`, whose shape both sources broadcast to.
void run(BinaryOp op, const Array &output, Source left, Source right) {
  if (output.size() == 0) {
    return;
  }
  const Shape &shape = output.shape();
  const auto walk_of = [&] {
    return ops::collapse(shape, {output.strides(), left.strides(shape), right.strides(shape)});
  };
  ops::Walk walk = walk_of();
  if (walk.shape.size() > 3) {
    left.spread(shape);
    right.spread(shape);
    walk = walk_of();
  }
  const shaders::BinaryLayout layout{ops::strides_of(walk, 0), ops::strides_of(walk, 1),
                                     ops::strides_of(walk, 2)};
  const std::string kernel = kernel_name(op, layout, output.dtype());
  for (const ops::Piece &piece : ops::split(ops::grid_of(walk), ops::max_grid_extent)) {
    ops::launch(output.device(), kernel,
                {ops::binding_at(output, ops::offset_of(piece, layout.output)),
                 left.at(ops::offset_of(piece, layout.left)),
                 right.at(ops::offset_of(piece, layout.right)), ops::bytes_of(layout)},
                {piece.extent, {}});
  }
}

} // namespace

Array binary(BinaryOp op, const Operand &left, const Operand &right) {
  const DType dtype = common_dtype(op, left, right);
  const Shape shape = broadcast_shapes(shape_of(left), shape_of(right));
  const Array &any = std::get<Array>(std::holds_alternative<Array>(left) ? left : right);
  const Array result = empty(any.device(), shape, dtype);
  run(op, result, source_of(left, dtype), source_of(right, dtype));
  return result;
}

void binary_in_place(BinaryOp op, const Array &target, const Operand &right) {
  ops::require_writable(target);
  const DType dtype = common_dtype(op, target, right);
  if (dtype != target.dtype()) {
    throw DTypeError("The result would be " + std::string(dtype_name(dtype)) +
                     ", which an array of " + std::string(dtype_name(target.dtype())) +
                     " cannot take in place.");
  }
  if (broadcast_shapes(target.shape(), shape_of(right)) != target.shape()) {
    throw std::invalid_argument("An operand of shape " + ops::shape_text(shape_of(right)) +
                                " does not broadcast to the target's shape " +
                                ops::shape_text(target.shape()) + ".");
  }
  Source source = source_of(right, dtype);
  if (source.array && ops::conflicts(target, *source.array)) {
    source.array = copy(*source.array);
  }
  const std::vector<Strides> strides{target.strides(), source.strides(target.shape())};
  if (ops::collapse(target.shape(), strides).shape.size() > 3) {
    assign(target, binary(op, target, right));
    return;
  }
  run(op, target, {target, {}}, std::move(source));
}

} // namespace metalcore
