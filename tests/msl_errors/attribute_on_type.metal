#include <metal_stdlib>
using namespace metal;

struct [[buffer(1)]] S { int a; }; //! error@10: 'buffer' attribute only applies to parameters and data members
typedef int number [[id(2)]]; //! error@22: 'id' attribute only applies to data members

kernel void k(device S *a) {
  a->a = number(1);
}
