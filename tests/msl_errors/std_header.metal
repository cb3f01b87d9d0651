#include <cmath> //! fatal error@10: 'cmath' file not found
kernel void k(device float *a) {
  a[0] = 1;
}
