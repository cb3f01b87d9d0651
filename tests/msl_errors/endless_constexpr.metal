#include <metal_stdlib>
constexpr int f() { int n = 0; while (true) ++n; return n; } //! error@15: constexpr function never produces a constant expression [-Winvalid-constexpr] //! note@45: constexpr evaluation hit maximum step limit; possible infinite loop? //! note@45: constexpr evaluation hit maximum step limit; possible infinite loop?
constant int c = f();
constexpr constant int d = f(); //! error@24: constexpr variable 'd' must be initialized by a constant expression //! note@28: in call to 'f()'
kernel void k(device int *a) { a[0] = d; }
