#pragma once

#include "hostmetal/compiler/compiler.h"

namespace hostmetal::api {

// HmCompiler's functions of these names.
HmStatus compile_kernel(const HmKernelRequest *request, HmBytes *object, HmBytes *reflection,
                        HmBytes *diagnostics);
HmStatus reflect_kernel(HmView module, const char *function, HmBytes *reflection,
                        HmBytes *diagnostics);
HmStatus load(HmView object, HmView reflection, HmLoaded **loaded, HmKernelCode *code,
              HmBytes *diagnostics);
void unload(HmLoaded *loaded);
HmStatus link_image(const HmObject *objects, size_t count, HmBytes *image, HmBytes *diagnostics);
HmStatus warm_up(HmBytes *diagnostics);

} // namespace hostmetal::api
