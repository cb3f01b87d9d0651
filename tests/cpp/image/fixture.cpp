// What a linked image looks like to the loader: two kernels, one of each form.
#include "hostmetal/image/abi.h"
#include "hostmetal/image/reflection.hpp"

#include <string>

namespace {

using namespace hostmetal::image;

void fill_row(const HmGroup *group, uint32_t, uint32_t) {
  auto *out = static_cast<uint32_t *>(group->grid->arguments[0]);
  for (uint32_t x = 0; x < group->size[0]; ++x)
    out[group->origin[0] + x] = 7;
}

void scan_thread(const HmGroup *, HmThread *) {}

std::string reflection_of(const char *name, bool has_simd_operations) {
  Kernel kernel;
  kernel.name = name;
  Argument &out = kernel.arguments.emplace_back();
  out.name = "out";
  out.access = Access::read_write;
  kernel.has_simd_operations = has_simd_operations;
  return serialise(kernel);
}

const std::string reflections[] = {reflection_of("fill", false), reflection_of("scan", true)};

const HmImageKernel kernels[] = {
    {"fill",
     reinterpret_cast<const uint8_t *>(reflections[0].data()),
     reflections[0].size(),
     {fill_row, nullptr}},
    {"scan",
     reinterpret_cast<const uint8_t *>(reflections[1].data()),
     reflections[1].size(),
     {nullptr, scan_thread}},
};

} // namespace

extern "C" __attribute__((visibility("default")))
const HmImage hostmetal_image = {HM_ABI_VERSION, 2, kernels};
