#include <metal_stdlib>
using namespace metal;

kernel uint k(uint i [[thread_position_in_grid]]) { //! error@13: kernel must have void return type, not 'uint'
  return i;
}
