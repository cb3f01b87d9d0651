#include "hostmetal/compiler/frontend/embedded_library.hpp"

namespace {
// clang-format off
alignas(16) constexpr unsigned char precompiled[] = {
#embed <metal_stdlib.pch> suffix(, )
    0};

alignas(16) constexpr unsigned char kernel[] = {
#embed <warm_up.air>
};
// clang-format on
} // namespace

std::string_view hostmetal::frontend::embedded_precompiled_header() {
  return {reinterpret_cast<const char *>(precompiled), sizeof(precompiled) - 1};
}

std::string_view hostmetal::frontend::embedded_kernel() {
  return {reinterpret_cast<const char *>(kernel), sizeof(kernel)};
}
