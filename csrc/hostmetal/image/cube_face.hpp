/// The faces of a cube and the directions that lead to them.
#pragma once

#include "hostmetal/image/texel.hpp"

#include <cmath>

namespace hostmetal::image {

/// A direction as seen by the face of a cube that it meets: linear in the direction.
struct FaceView {
  uint32_t face;

  explicit FaceView(Floats direction) {
    const float x = std::fabs(direction.x), y = std::fabs(direction.y), z = std::fabs(direction.z);
    if (z >= x && z >= y)
      face = direction.z < 0.0f ? 5 : 4;
    else if (y >= x)
      face = direction.y < 0.0f ? 3 : 2;
    else
      face = direction.x < 0.0f ? 1 : 0;
  }
  explicit FaceView(uint32_t number) : face(number) {}

  /// Right, down and towards the face.
  Floats of(Floats v) const {
    switch (face) {
    case 0:
      return Floats{-v.z, -v.y, v.x, 0};
    case 1:
      return Floats{v.z, -v.y, -v.x, 0};
    case 2:
      return Floats{v.x, v.z, v.y, 0};
    case 3:
      return Floats{v.x, -v.z, -v.y, 0};
    case 4:
      return Floats{v.x, -v.y, v.z, 0};
    default:
      return Floats{-v.x, -v.y, -v.z, 0};
    }
  }
  /// The direction of which `of` is (right, down, 1).
  Floats direction(float right, float down) const {
    switch (face) {
    case 0:
      return Floats{1, -down, -right, 0};
    case 1:
      return Floats{-1, -down, right, 0};
    case 2:
      return Floats{right, 1, down, 0};
    case 3:
      return Floats{right, -1, -down, 0};
    case 4:
      return Floats{right, -down, 1, 0};
    default:
      return Floats{-right, -down, -1, 0};
    }
  }
};

} // namespace hostmetal::image
