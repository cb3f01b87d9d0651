// What simdgroup and quadgroup operations are made of: an exchange of one value per lane.
#pragma once

#include "device.hpp"
#include "hostmetal/image/abi.h"

namespace lanes {

inline uint32_t own_lane() {
  return hm_thread_index_in_simdgroup();
}

/// The values that the active lanes of this simdgroup gave to the same operation. Valid until the
/// next operation.
template <class T> class Exchange {
public:
  __attribute__((convergent, always_inline)) explicit Exchange(T value)
      : frame_(static_cast<const HmSimdFrame *>(hm_simd_exchange(&value, sizeof(T)))),
        active_(frame_->active) {}

  uint32_t active() const { return active_; }
  bool is_active(uint32_t lane) const { return lane < HM_SIMD_WIDTH && (active_ >> lane & 1); }
  T operator[](uint32_t lane) const { return *reinterpret_cast<const T *>(frame_->values[lane]); }
  /// What a lane of the simdgroup gives. Metal leaves open what one that takes no part does: here
  /// 0, as on Apple's processors, since kernels count on it.
  T read(uint32_t lane) const { return is_active(lane) ? (*this)[lane] : T{}; }

private:
  const HmSimdFrame *frame_;
  uint32_t active_;
};

/// Combines the values of the lanes in `mask`, in the order of the lanes; `start` if there is none.
template <class T, class Operation>
inline T fold(const Exchange<T> &values, uint32_t mask, T start, Operation operation) {
  T result = start;
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1)
    result = operation(result, values[static_cast<uint32_t>(__builtin_ctz(rest))]);
  return result;
}

template <class T> struct Sum {
  static constexpr T start = static_cast<T>(0);
  T operator()(T x, T y) const { return static_cast<T>(x + y); }
};
template <class T> struct Product {
  static constexpr T start = static_cast<T>(1);
  T operator()(T x, T y) const { return static_cast<T>(x * y); }
};
template <class T> struct And {
  static constexpr T start = static_cast<T>(-1);
  T operator()(T x, T y) const { return static_cast<T>(x & y); }
};
template <class T> struct Or {
  static constexpr T start = static_cast<T>(0);
  T operator()(T x, T y) const { return static_cast<T>(x | y); }
};
template <class T> struct Xor {
  static constexpr T start = static_cast<T>(0);
  T operator()(T x, T y) const { return static_cast<T>(x ^ y); }
};
/// NaN loses against a number, as in fmin and fmax.
template <class T> struct Minimum {
  T operator()(T x, T y) const { return y < x || x != x ? y : x; }
};
template <class T> struct Maximum {
  T operator()(T x, T y) const { return x < y || x != x ? y : x; }
};

/// Reduction and scans over the lanes in `group`, a mask of lanes.
template <template <class> class Operation, class T> inline T reduce(T value, uint32_t group) {
  Exchange<T> values(value);
  return fold(values, values.active() & group, Operation<T>::start, Operation<T>());
}
template <template <class> class Operation, class T>
inline T reduce_from_own(T value, uint32_t group) {
  Exchange<T> values(value);
  return fold(values, values.active() & group, value, Operation<T>());
}
template <template <class> class Operation, class T>
inline T scan_exclusive(T value, uint32_t group) {
  Exchange<T> values(value);
  uint32_t before = (1u << own_lane()) - 1;
  return fold(values, values.active() & group & before, Operation<T>::start, Operation<T>());
}
template <template <class> class Operation, class T>
inline T scan_inclusive(T value, uint32_t group) {
  Exchange<T> values(value);
  uint32_t to_own = (2u << own_lane()) - 1;
  return fold(values, values.active() & group & to_own, Operation<T>::start, Operation<T>());
}

/// The value of a lane; the own value where there is no such lane.
template <class T> inline T shuffle(T value, uint32_t lane) {
  Exchange<T> values(value);
  return lane < HM_SIMD_WIDTH ? values.read(lane) : value;
}

/// Lanes move within segments of `modulo`; the end that nobody moves into takes from `fill`, which
/// stands for the segment beyond.
template <class T>
inline T shuffle_and_fill(T value, T fill, int32_t delta, uint32_t modulo, uint32_t group) {
  uint32_t width = modulo == 0 || modulo > group ? group : modulo;
  struct Both {
    T value, fill;
  };
  Exchange<Both> values({value, fill});
  uint32_t lane = own_lane(), segment = lane / width * width;
  int32_t place = static_cast<int32_t>(lane - segment) + delta;
  bool inside = place >= 0 && place < static_cast<int32_t>(width);
  int32_t wrapped = place % static_cast<int32_t>(width);
  uint32_t source = segment + static_cast<uint32_t>(
                                  wrapped < 0 ? wrapped + static_cast<int32_t>(width) : wrapped);
  return inside ? values.read(source).value : values.read(source).fill;
}

/// The all-ones mask of `width` lanes that contains the own lane.
inline uint32_t own_group(uint32_t width) {
  return width >= HM_SIMD_WIDTH ? ~0u : ((1u << width) - 1) << (own_lane() & ~(width - 1));
}

} // namespace lanes
