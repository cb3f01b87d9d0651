#include <metal_stdlib>
kernel void k(device float *a) {
  std::vector<float> v; //! error@3: use of undeclared identifier 'std' //! error@20: expected '(' for function-style cast or type construction //! error@22: use of undeclared identifier 'v'
  a[0] = v[0]; //! error@10: use of undeclared identifier 'v'
}
