// The element operations of the built-in kernels. complex64 is float2: x real, y imaginary.
#pragma once

#include <metal_stdlib>

/// The type in which T is computed: wide enough that one rounding gives T's correctly rounded
/// result, and unsigned so that integers wrap.
template <typename T> struct Computation {
  using type = T;
};
template <> struct Computation<uchar> {
  using type = uint;
};
template <> struct Computation<ushort> {
  using type = uint;
};
template <> struct Computation<half> {
  using type = float;
};
template <> struct Computation<bfloat> {
  using type = float;
};

struct Add {
  template <typename T> static T apply(T left, T right) {
    using C = typename Computation<T>::type;
    return static_cast<T>(static_cast<C>(left) + static_cast<C>(right));
  }
};

struct Subtract {
  template <typename T> static T apply(T left, T right) {
    using C = typename Computation<T>::type;
    return static_cast<T>(static_cast<C>(left) - static_cast<C>(right));
  }
};

struct Multiply {
  template <typename T> static T apply(T left, T right) {
    using C = typename Computation<T>::type;
    return static_cast<T>(static_cast<C>(left) * static_cast<C>(right));
  }
  static float2 apply(float2 left, float2 right) {
    return float2(left.x * right.x - left.y * right.y, left.x * right.y + left.y * right.x);
  }
};

struct Divide {
  template <typename T> static T apply(T left, T right) {
    using C = typename Computation<T>::type;
    return static_cast<T>(static_cast<C>(left) / static_cast<C>(right));
  }
  /// Smith's method: the larger part of the divisor is divided by first, so that nothing overflows
  /// which the quotient does not.
  static float2 apply(float2 left, float2 right) {
    if (metal::abs(right.x) >= metal::abs(right.y)) {
      if (right.x == 0.0f && right.y == 0.0f) {
        return float2(left.x / metal::abs(right.x), left.y / metal::abs(right.x));
      }
      const float ratio = right.y / right.x;
      const float scale = 1.0f / (right.x + right.y * ratio);
      return float2((left.x + left.y * ratio) * scale, (left.y - left.x * ratio) * scale);
    }
    const float ratio = right.x / right.y;
    const float scale = 1.0f / (right.y + right.x * ratio);
    return float2((left.x * ratio + left.y) * scale, (left.y * ratio - left.x) * scale);
  }
};
