#include "hostmetal/compiler/lowering/textures.hpp"

#include "hostmetal/compiler/lowering/air_name.hpp"
#include "hostmetal/compiler/lowering/coerce.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include <optional>

using namespace llvm;

namespace hostmetal::lowering {
namespace {

/// A kind of texture.
struct Object {
  StringLiteral name;
  unsigned coordinates; ///< of a sample
  bool is_array = false;
  bool is_cube = false;
  bool is_depth = false;
  bool has_levels = true;

  /// Coordinates of a pixel.
  unsigned axes() const { return is_cube ? 2 : coordinates; }
  /// device/texture.hpp's sampling::Shape.
  unsigned shape() const { return is_cube ? 4 : coordinates; }
};

constexpr Object objects[] = {
    {"texture_1d", 1},
    {"texture_1d_array", 1, true},
    {"texture_2d", 2},
    {"texture_2d_array", 2, true},
    {"texture_3d", 3},
    {"texture_cube", 3, false, true},
    {"texture_cube_array", 3, true, true},
    {"texture_buffer_1d", 1, false, false, false, false},
    {"depth_2d", 2, false, false, true},
    {"depth_2d_array", 2, true, false, true},
    {"depth_cube", 3, false, true, true},
    {"depth_cube_array", 3, true, true, true},
};

// Where one begins like another, the longer comes first.
constexpr StringLiteral operations[] = {
    "sample_compare", "gather_compare", "sample",         "gather",
    "read",           "write",          "fence",          "get_width",
    "get_height",     "get_depth",      "get_array_size", "get_num_mip_levels",
    "atomic",
};

/// Atomic operations, as `air.atomic_fetch_add_explicit_texture_2d` names them.
constexpr StringLiteral atomics[] = {
    "load",      "store",     "exchange",  "compare_exchange_weak",
    "fetch_add", "fetch_sub", "fetch_and", "fetch_or",
    "fetch_xor", "fetch_min", "fetch_max",
};

/// "air.sample_texture_2d_grad.u.v4i32", taken apart.
struct TextureName {
  StringRef operation;
  const Object *object;
  bool has_gradient = false;
  bool is_signed = false;
  StringRef atomic; ///< the operation, one of `atomics`
  StringRef type;   ///< "v4i32"; empty where no pixel is involved
};

std::optional<TextureName> parse(const Function &function) {
  SmallVector<StringRef, 8> words = air_words(function.getName());
  if (!function.isDeclaration() || words.empty())
    return std::nullopt;
  TextureName name{};
  StringRef object = words[0];
  for (StringRef operation : operations)
    if (object.consume_front(operation)) {
      name.operation = operation;
      break;
    }
  if (name.operation.empty() || !object.consume_front("_"))
    return std::nullopt;
  if (name.operation == "atomic") {
    for (StringRef atomic : atomics)
      if (object.consume_front(atomic)) {
        name.atomic = atomic;
        break;
      }
    if (name.atomic.empty() || !object.consume_front("_explicit_"))
      return std::nullopt;
  }
  name.has_gradient = object.consume_back("_grad");
  const auto *found = find_if(objects, [&](const Object &each) { return each.name == object; });
  if (found == std::end(objects))
    return std::nullopt;
  name.object = found;
  name.is_signed = words.size() > 2 && words[1] == "s";
  if (words.size() > 1)
    name.type = words.back();
  return name;
}

class Lowering {
public:
  Lowering(CallInst &call, const TextureName &name)
      : builder_(&call), call_(call), name_(name), object_(*name.object),
        words_(FixedVectorType::get(builder_.getInt32Ty(), 4)),
        floats_(FixedVectorType::get(builder_.getFloatTy(), 4)) {}

  /// Null if the call does not have the operands of its name.
  Value *result() {
    if (call_.arg_size() < 1 || !call_.getArgOperand(0)->getType()->isPointerTy())
      return nullptr;
    texture_ = next(builder_.getPtrTy());
    Value *value = operation();
    return is_complete() ? value : nullptr;
  }

private:
  Value *operation() {
    if (name_.operation == "fence")
      return PoisonValue::get(builder_.getInt32Ty()); // a thread sees its own writes in any case
    if (name_.operation.starts_with("get_"))
      return query();
    if (name_.operation == "read")
      return read();
    if (name_.operation == "write")
      return write();
    if (name_.operation == "atomic")
      return atomic();
    return sample();
  }

  bool is_complete() const { return !is_short_ && next_ == call_.arg_size(); }

  Value *next(Type *type) {
    if (next_ >= call_.arg_size()) {
      is_short_ = true;
      return PoisonValue::get(type);
    }
    Value *operand = call_.getArgOperand(next_++);
    if (operand->getType()->isIntegerTy() && type->isIntegerTy())
      return builder_.CreateZExtOrTrunc(operand, type);
    return coerce(builder_, operand, type);
  }
  Value *next_integer() { return next(builder_.getInt32Ty()); }
  Value *next_float() { return next(builder_.getFloatTy()); }
  Value *next_sampler() {
    if (next_ < call_.arg_size() && call_.getArgOperand(next_)->getType()->isPointerTy())
      return builder_.CreatePtrToInt(next(builder_.getPtrTy()), builder_.getInt64Ty());
    return next(builder_.getInt64Ty());
  }
  /// A scalar, or a vector of `count`, at the beginning of four zeros.
  Value *next_four(Type *element, unsigned count) {
    Type *four = FixedVectorType::get(element, 4);
    Value *result = Constant::getNullValue(four);
    if (count == 1)
      return builder_.CreateInsertElement(result, next(element), uint64_t{0});
    Value *given = next(FixedVectorType::get(element, count));
    for (unsigned i = 0; i < count; ++i)
      result = builder_.CreateInsertElement(result, builder_.CreateExtractElement(given, i), i);
    return result;
  }
  Value *element(Value *vector, unsigned index) {
    return builder_.CreateExtractElement(vector, index);
  }

  Value *call(StringRef function, Type *result, ArrayRef<Value *> arguments) {
    SmallVector<Type *> types;
    for (Value *argument : arguments)
      types.push_back(argument->getType());
    FunctionCallee callee =
        call_.getModule()->getOrInsertFunction(function, FunctionType::get(result, types, false));
    return builder_.CreateCall(callee, arguments);
  }

  Value *query() {
    if (name_.operation == "get_num_mip_levels")
      return call("hm_texture_level_count", builder_.getInt32Ty(), {texture_});
    const bool is_array_size = name_.operation == "get_array_size";
    Value *level = object_.has_levels && !is_array_size ? next_integer() : builder_.getInt32(0);
    const char *function = name_.operation == "get_width"    ? "hm_texture_width"
                           : name_.operation == "get_height" ? "hm_texture_height"
                                                             : "hm_texture_images";
    Value *count = call(function, builder_.getInt32Ty(), {texture_, level});
    return is_array_size && object_.is_cube ? builder_.CreateUDiv(count, builder_.getInt32(6))
                                            : count;
  }

  /// x, y and the image of the pixel.
  SmallVector<Value *, 5> next_pixel() {
    Value *place = next_four(builder_.getInt32Ty(), object_.axes());
    Value *image = element(place, 2);
    if (object_.is_cube)
      image = next_integer();
    if (object_.is_array) {
      Value *slice = next_integer();
      image = object_.is_cube
                  ? builder_.CreateAdd(image, builder_.CreateMul(slice, builder_.getInt32(6)))
                  : slice;
    }
    return {texture_, element(place, 0), element(place, 1), image};
  }

  Value *read() {
    if (object_.is_depth)
      next_integer();
    SmallVector<Value *, 5> arguments = next_pixel();
    arguments.push_back(object_.has_levels ? next_integer() : builder_.getInt32(0));
    next_integer(); // access
    return from_words(call("hm_texture_read", words_, arguments));
  }

  Value *write() {
    SmallVector<Value *, 6> arguments(next_pixel());
    Value *value = to_words();
    arguments.push_back(object_.has_levels ? next_integer() : builder_.getInt32(0));
    arguments.push_back(value);
    next_integer(); // access
    return call("hm_texture_write", builder_.getVoidTy(), arguments);
  }

  /// The first component of a pixel, which is all that it has.
  Value *next_component() { return builder_.CreateExtractElement(next(words_), uint64_t{0}); }
  Value *from_component(Value *component) {
    return builder_.CreateInsertElement(Constant::getNullValue(words_), component, uint64_t{0});
  }

  /// Memory orders are not asked for: these take the strictest.
  Value *atomic() {
    Type *word = builder_.getInt32Ty();
    if (texel_type() != words_)
      return nullptr;
    Value *stored = name_.atomic == "store" ? next_component() : nullptr;
    SmallVector<Value *, 6> arguments(next_pixel());
    if (name_.atomic == "compare_exchange_weak") {
      arguments.push_back(next(builder_.getPtrTy()));
      arguments.push_back(next_component());
      next_integer(); // order of a failure
    } else if (stored) {
      arguments.push_back(stored);
    } else if (name_.atomic != "load") {
      arguments.push_back(next_component());
    }
    next_integer(); // order
    next_integer(); // access
    std::string function = ("hm_texture_atomic_" + name_.atomic).str();
    if (name_.atomic == "fetch_min" || name_.atomic == "fetch_max")
      function += name_.is_signed ? "_signed" : "_unsigned";
    if (stored)
      return call(function, builder_.getVoidTy(), arguments);
    if (name_.atomic == "compare_exchange_weak")
      return call(function, builder_.getInt1Ty(), arguments);
    return from_component(call(function, word, arguments));
  }

  Value *sample() {
    const bool is_compare = name_.operation.ends_with("_compare");
    const bool is_gather = name_.operation.starts_with("gather");
    Value *sampler = next_sampler();
    if (object_.is_depth)
      next_integer();
    Value *coordinate = next_four(builder_.getFloatTy(), object_.coordinates);
    Value *slice = object_.is_array ? next_integer() : builder_.getInt32(0);
    Value *reference = is_compare ? next_float() : nullptr;
    Value *dx = nullptr, *dy = nullptr, *least_level = nullptr;
    if (name_.has_gradient) {
      dx = next_four(builder_.getFloatTy(), object_.coordinates);
      dy = next_four(builder_.getFloatTy(), object_.coordinates);
      least_level = next_float();
    }
    Value *offset = Constant::getNullValue(words_);
    if (!object_.is_cube) {
      next(builder_.getInt1Ty()); // whether there is an offset: it is zero where there is none
      offset = next_four(builder_.getInt32Ty(), object_.coordinates);
    }
    Value *shape = builder_.getInt32(object_.shape());
    SmallVector<Value *> arguments{texture_, sampler, shape, coordinate, offset, slice};
    if (is_gather) {
      if (is_compare)
        arguments.push_back(reference);
      else
        arguments.push_back(object_.is_depth ? builder_.getInt32(0) : next_integer());
      next_integer(); // access
      return from_words(
          call(is_compare ? "hm_texture_gather_compare" : "hm_texture_gather", words_, arguments));
    }
    Value *level;
    if (name_.has_gradient) {
      level = call("hm_texture_gradient_level", builder_.getFloatTy(),
                   {texture_, sampler, shape, coordinate, dx, dy});
    } else {
      // Whether the level is given, or a bias to one that derivatives would say: kernels have none
      // and begin at level 0.
      next(builder_.getInt1Ty());
      level = next_float();
      least_level = next_float();
    }
    next_integer(); // access
    arguments.append({level, least_level});
    if (!is_compare)
      return from_words(call("hm_texture_sample", words_, arguments));
    arguments.push_back(reference);
    return in_result(call("hm_texture_sample_compare", builder_.getFloatTy(), arguments));
  }

  /// The pixel's type, of the name's type word.
  Type *texel_type() {
    Type *type = value_type(call_.getContext(), name_.type);
    if (!type)
      is_short_ = true;
    return type ? type : floats_;
  }

  Value *from_words(Value *value) {
    Type *type = texel_type(), *element_type = type->getScalarType();
    if (element_type->isFloatingPointTy())
      value = builder_.CreateFPCast(builder_.CreateBitCast(value, floats_),
                                    FixedVectorType::get(element_type, 4));
    else
      value = builder_.CreateTrunc(value, FixedVectorType::get(element_type, 4));
    return in_result(type->isVectorTy() ? value : element(value, 0));
  }

  Value *to_words() {
    Type *type = texel_type();
    Value *value = next(type);
    if (!type->isVectorTy())
      value = builder_.CreateInsertElement(Constant::getNullValue(FixedVectorType::get(type, 4)),
                                           value, uint64_t{0});
    if (type->isFPOrFPVectorTy())
      return builder_.CreateBitCast(builder_.CreateFPCast(value, floats_), words_);
    return builder_.CreateIntCast(value, words_, name_.is_signed);
  }

  /// The value as the call returns it: bare, or with a byte that says whether memory lay behind it.
  Value *in_result(Value *value) {
    auto *pair = dyn_cast<StructType>(call_.getType());
    if (!pair)
      return coerce(builder_, value, call_.getType());
    if (pair->getNumElements() != 2 || pair->getElementType(0) != value->getType()) {
      is_short_ = true;
      return PoisonValue::get(pair);
    }
    return builder_.CreateInsertValue(Constant::getNullValue(pair), value, 0u);
  }

  IRBuilder<> builder_;
  CallInst &call_;
  const TextureName &name_;
  const Object &object_;
  FixedVectorType *words_, *floats_;
  Value *texture_ = nullptr;
  unsigned next_ = 0;
  bool is_short_ = false;
};

} // namespace

void lower_textures(Module &module) {
  for (Function &function : make_early_inc_range(module)) {
    const std::optional<TextureName> name = parse(function);
    if (!name)
      continue;
    for (User *user : make_early_inc_range(function.users())) {
      auto *call = dyn_cast<CallInst>(user);
      if (!call || call->getCalledFunction() != &function)
        continue;
      const Instruction *before = call->getPrevNode();
      Value *result = Lowering(*call, *name).result();
      if (!result) {
        // What was made of operands that are missing would make the rest unreachable.
        while (call->getPrevNode() != before)
          call->getPrevNode()->eraseFromParent();
        continue;
      }
      if (!call->getType()->isVoidTy())
        call->replaceAllUsesWith(result);
      call->eraseFromParent();
    }
    if (function.use_empty())
      function.eraseFromParent();
  }
}

} // namespace hostmetal::lowering
