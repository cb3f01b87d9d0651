// Barriers. Their flags say which memory they order; here every barrier orders all of it.
#include "device.hpp"

namespace air {
__attribute__((convergent)) void threadgroup_barrier(int flags, int scope) AIR("wg.barrier");
void threadgroup_barrier(int, int) {
  hm_threadgroup_barrier();
}

__attribute__((convergent)) void simdgroup_barrier(int flags, int scope) AIR("simdgroup.barrier");
void simdgroup_barrier(int, int) {
  hm_simd_exchange(nullptr, 0);
}
} // namespace air
