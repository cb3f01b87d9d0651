#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  int n = a[0];
  int2 v{n, 1.5f}; //! error@13: type 'float' cannot be narrowed to 'int' in initializer list [-Wc++11-narrowing] //! note@13: insert an explicit cast to silence this issue //! warning@13: implicit conversion from 'float' to 'int' changes value from 1.5 to 1 [-Wliteral-conversion]
  char c{n}; //! error@10: non-constant-expression cannot be narrowed from type 'int' to 'char' in initializer list [-Wc++11-narrowing] //! note@10: insert an explicit cast to silence this issue
  a[0] = v.x + c;
}
