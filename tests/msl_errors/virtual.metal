#include <metal_stdlib>
struct S { virtual int f() const { return 1; } }; //! error@24: virtual functions are not supported in Metal
kernel void k(device int *a) { S s; a[0] = s.f(); }
