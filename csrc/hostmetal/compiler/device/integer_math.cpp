// Integer builtins of MSL, for 8 to 64 bits.
#include "device.hpp"

namespace {

template <class T> constexpr bool is_signed = static_cast<T>(-1) < static_cast<T>(0);
template <class T> struct Unsigned;
template <> struct Unsigned<int8_t> {
  using Type = uint8_t;
};
template <> struct Unsigned<int16_t> {
  using Type = uint16_t;
};
template <> struct Unsigned<int32_t> {
  using Type = uint32_t;
};
template <> struct Unsigned<int64_t> {
  using Type = uint64_t;
};
template <> struct Unsigned<uint8_t> {
  using Type = uint8_t;
};
template <> struct Unsigned<uint16_t> {
  using Type = uint16_t;
};
template <> struct Unsigned<uint32_t> {
  using Type = uint32_t;
};
template <> struct Unsigned<uint64_t> {
  using Type = uint64_t;
};

template <class T>
constexpr T largest =
    static_cast<T>(is_signed<T> ? (static_cast<typename Unsigned<T>::Type>(-1) >> 1) : -1);
template <class T> constexpr T smallest = static_cast<T>(is_signed<T> ? -largest<T> - 1 : 0);

template <class T> T min(T x, T y) {
  return y < x ? y : x;
}
template <class T> T max(T x, T y) {
  return x < y ? y : x;
}
template <class T> T clamp(T x, T low, T high) {
  return min(max(x, low), high);
}
template <class T> T median(T x, T y, T z) {
  return max(min(x, y), min(max(x, y), z));
}
template <class T> T abs(T x) {
  using U = typename Unsigned<T>::Type;
  return x < 0 ? static_cast<T>(-static_cast<U>(x)) : x;
}
template <class T> T abs_difference(T x, T y) {
  using U = typename Unsigned<T>::Type;
  return static_cast<T>(x > y ? static_cast<U>(x) - static_cast<U>(y)
                              : static_cast<U>(y) - static_cast<U>(x));
}
template <class T> T add_saturated(T x, T y) {
  T sum;
  return __builtin_add_overflow(x, y, &sum) ? (x < 0 ? smallest<T> : largest<T>) : sum;
}
template <class T> T subtract_saturated(T x, T y) {
  T difference;
  if (!__builtin_sub_overflow(x, y, &difference))
    return difference;
  return is_signed<T> && x >= 0 ? largest<T> : smallest<T>;
}
// 128 bits hold every product, and a product and a third number.
template <class T> struct Wide {
  using Type = unsigned __int128;
};
template <class T>
  requires is_signed<T>
struct Wide<T> {
  using Type = __int128;
};

template <class T> T multiply_high(T x, T y) {
  using W = typename Wide<T>::Type;
  return static_cast<T>((static_cast<W>(x) * static_cast<W>(y)) >> (sizeof(T) * 8));
}
template <class T> T multiply_add_saturated(T x, T y, T z) {
  using W = typename Wide<T>::Type;
  W exact = static_cast<W>(x) * static_cast<W>(y) + static_cast<W>(z);
  if (exact > static_cast<W>(largest<T>))
    return largest<T>;
  if constexpr (is_signed<T>)
    if (exact < static_cast<W>(smallest<T>))
      return smallest<T>;
  return static_cast<T>(exact);
}
template <class T> T half_add(T x, T y) {
  return static_cast<T>((x >> 1) + (y >> 1) + (x & y & 1));
}
template <class T> T half_add_rounded(T x, T y) {
  return static_cast<T>((x >> 1) + (y >> 1) + ((x | y) & 1));
}
template <class T> T rotate(T x, T count) {
  using U = typename Unsigned<T>::Type;
  constexpr unsigned bits = sizeof(T) * 8;
  unsigned left = static_cast<unsigned>(count) % bits;
  U value = static_cast<U>(x);
  return left == 0 ? x : static_cast<T>(static_cast<U>(value << left) | (value >> (bits - left)));
}
template <class T> T leading_zeros(T x) {
  using U = typename Unsigned<T>::Type;
  constexpr int bits = sizeof(T) * 8;
  U value = static_cast<U>(x);
  return value == 0 ? static_cast<T>(bits) : static_cast<T>(__builtin_clzll(value) - (64 - bits));
}
template <class T> T trailing_zeros(T x) {
  using U = typename Unsigned<T>::Type;
  return x == 0 ? static_cast<T>(sizeof(T) * 8)
                : static_cast<T>(__builtin_ctzll(static_cast<U>(x)));
}
template <class T> T population(T x) {
  return static_cast<T>(__builtin_popcountll(static_cast<typename Unsigned<T>::Type>(x)));
}
template <class T> T reverse(T x) {
  return static_cast<T>(__builtin_bitreverse64(static_cast<typename Unsigned<T>::Type>(x)) >>
                        (64 - sizeof(T) * 8));
}
/// Bits [offset, offset + count) of x, sign-extended for signed types; 0 bits give 0.
template <class T> T extract_bits(T x, uint32_t offset, uint32_t count) {
  using U = typename Unsigned<T>::Type;
  constexpr uint32_t bits = sizeof(T) * 8;
  if (count == 0 || offset >= bits)
    return 0;
  uint32_t width = count < bits - offset ? count : bits - offset;
  U left = static_cast<U>(static_cast<U>(x) << (bits - offset - width));
  return static_cast<T>(static_cast<T>(left) >> (bits - width));
}
template <class T> T insert_bits(T base, T insert, uint32_t offset, uint32_t count) {
  using U = typename Unsigned<T>::Type;
  constexpr uint32_t bits = sizeof(T) * 8;
  if (count == 0 || offset >= bits)
    return base;
  uint32_t width = count < bits - offset ? count : bits - offset;
  U mask = static_cast<U>(
      (width == bits ? static_cast<U>(-1) : static_cast<U>((static_cast<U>(1) << width) - 1))
      << offset);
  return static_cast<T>((static_cast<U>(base) & ~mask) |
                        (static_cast<U>(static_cast<U>(insert) << offset) & mask));
}

} // namespace

// `sign` is s or u in the name, `bits` the width.
#define SIGNED_FORM(name, parameters, call, T, sign, bits)                                         \
  T name##_##sign##bits parameters(T) AIR(#name "." #sign ".i" #bits);                             \
  T name##_##sign##bits parameters(T) {                                                            \
    return call;                                                                                   \
  }
#define P1(T) (T x)
#define P2(T) (T x, T y)
#define P3(T) (T x, T y, T z)
#define EXTRACT(T) (T x, uint32_t offset, uint32_t count)
#define INSERT(T) (T x, T y, uint32_t offset, uint32_t count)

#define OF_SIGN(T, sign, bits)                                                                     \
  SIGNED_FORM(min, P2, min(x, y), T, sign, bits)                                                   \
  SIGNED_FORM(max, P2, max(x, y), T, sign, bits)                                                   \
  SIGNED_FORM(min3, P3, min(x, min(y, z)), T, sign, bits)                                          \
  SIGNED_FORM(max3, P3, max(x, max(y, z)), T, sign, bits)                                          \
  SIGNED_FORM(median3, P3, median(x, y, z), T, sign, bits)                                         \
  SIGNED_FORM(clamp, P3, clamp(x, y, z), T, sign, bits)                                            \
  SIGNED_FORM(abs, P1, abs(x), T, sign, bits)                                                      \
  SIGNED_FORM(abs_diff, P2, abs_difference(x, y), T, sign, bits)                                   \
  SIGNED_FORM(add_sat, P2, add_saturated(x, y), T, sign, bits)                                     \
  SIGNED_FORM(sub_sat, P2, subtract_saturated(x, y), T, sign, bits)                                \
  SIGNED_FORM(mul_hi, P2, multiply_high(x, y), T, sign, bits)                                      \
  SIGNED_FORM(mad_hi, P3, static_cast<T>(multiply_high(x, y) + z), T, sign, bits)                  \
  SIGNED_FORM(mad_sat, P3, multiply_add_saturated(x, y, z), T, sign, bits)                         \
  SIGNED_FORM(hadd, P2, half_add(x, y), T, sign, bits)                                             \
  SIGNED_FORM(rhadd, P2, half_add_rounded(x, y), T, sign, bits)                                    \
  SIGNED_FORM(extract_bits, EXTRACT, extract_bits(x, offset, count), T, sign, bits)                \
  SIGNED_FORM(insert_bits, INSERT, insert_bits(x, y, offset, count), T, sign, bits)

#define PLAIN_FORM(name, parameters, call, T, bits)                                                \
  T name##_##bits parameters(T) AIR(#name ".i" #bits);                                             \
  T name##_##bits parameters(T) {                                                                  \
    return call;                                                                                   \
  }
#define OF_WIDTH(T, bits)                                                                          \
  PLAIN_FORM(clz, P1, leading_zeros(x), T, bits)                                                   \
  PLAIN_FORM(ctz, P1, trailing_zeros(x), T, bits)                                                  \
  PLAIN_FORM(popcount, P1, population(x), T, bits)                                                 \
  PLAIN_FORM(reverse_bits, P1, reverse(x), T, bits)                                                \
  PLAIN_FORM(rotate, P2, rotate(x, y), T, bits)

namespace air {
OF_SIGN(int8_t, s, 8)
OF_SIGN(int16_t, s, 16)
OF_SIGN(int32_t, s, 32)
OF_SIGN(int64_t, s, 64)
OF_SIGN(uint8_t, u, 8)
OF_SIGN(uint16_t, u, 16)
OF_SIGN(uint32_t, u, 32)
OF_SIGN(uint64_t, u, 64)
OF_WIDTH(uint8_t, 8)
OF_WIDTH(uint16_t, 16)
OF_WIDTH(uint32_t, 32)
OF_WIDTH(uint64_t, 64)

uint8_t normalise_predicate(uint8_t x) AIR("normalize_function_constant_predicate.i8");
uint8_t normalise_predicate(uint8_t x) {
  return x != 0;
}
} // namespace air
