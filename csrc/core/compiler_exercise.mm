#include "core/device_impl.hpp"
#include "core/library_impl.hpp"
#include "core/pipeline_impl.hpp"
#include "core/warmup.hpp"

namespace metalcore {

namespace {

// Small, but through the standard library's header and with a specialisation, like any user's
// kernel. A front end that keeps its results does not keep a source that names the time, so this
// one exercises it every time.
constexpr const char *source = R"(// __TIME__
#include <metal_stdlib>
using namespace metal;
[[kernel]] void warm_up(device float *values [[buffer(0)]],
                        uint i [[thread_position_in_grid]]) {
  values[i] = fma(values[i], 2.0f, 1.0f);
}
)";

} // namespace

void exercise_compiler(const Device &device, const WarmupTask::StopCheck &should_stop) {
  const MathMode math_mode = preferences().math_mode;
  const fork::Section section;
  if (should_stop())
    return;
  const auto library = compile_library(device.impl(), {source, {}, math_mode});
  if (should_stop())
    return;
  build_pipeline(*library, {"warm_up", {}});
}

} // namespace metalcore
