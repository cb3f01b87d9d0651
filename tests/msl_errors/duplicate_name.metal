#include <metal_stdlib>
kernel void k(device int *a) {} //! note@13: the other function is here
namespace n {
[[host_name("k")]] kernel void j(device int *a) {} //! error@32: function name 'k' is used more than once
}
