#include <metal_stdlib>
using namespace metal;

struct pair {
  int value, other;
  constexpr pair() threadgroup : value(7), other(8) {}
};

template <typename T> [[kernel]] void k(device int *a) {
  threadgroup T shared[2147483648]; //! error@17: the array 'shared' has more than 1048576 objects with a constructor
  a[0] = shared[1].value;
}
template [[host_name("k")]] [[kernel]] void k<pair>(device int *a);
