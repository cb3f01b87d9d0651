#include "params.h" //! fatal error@10: 'params.h' file not found
kernel void k(device float *a) { a[0] = 1; }
