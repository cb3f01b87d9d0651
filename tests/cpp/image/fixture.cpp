// What a linked image holds: two kernels, one of each form. Like a compiled kernel it has neither
// constructors nor a C++ library.
#include "hostmetal/image/abi.h"

#include <cctype>

namespace {

#include "reflections.inc"

void fill_row(const HmGroup *group, uint32_t, uint32_t) {
  auto *out = static_cast<uint32_t *>(group->grid->arguments[0]);
  for (uint32_t x = 0; x < group->size[0]; ++x)
    out[group->origin[0] + x] = 7;
}

// Any function that no other kernel calls.
void scan_thread(const HmGroup *group, HmThread *) {
  auto *out = static_cast<uint32_t *>(group->grid->arguments[0]);
  out[0] = static_cast<uint32_t>(std::toupper('a'));
}

const HmImageKernel kernels[] = {
    {"fill", fill_reflection, sizeof fill_reflection, {fill_row, nullptr}},
    {"scan", scan_reflection, sizeof scan_reflection, {nullptr, scan_thread}},
};

} // namespace

extern "C" __attribute__((visibility("default")))
const HmImage hostmetal_image = {HM_ABI_VERSION, 2, kernels};
