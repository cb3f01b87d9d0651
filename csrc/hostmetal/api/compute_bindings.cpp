#include "hostmetal/api/compute_bindings.hpp"

#include "hostmetal/executor/executor.hpp"

namespace hostmetal::api {

void capture_arguments(const ComputeBindings &bindings, Dispatch &dispatch) {
  const auto &arguments = dispatch.kernel->reflection().arguments;
  dispatch.arguments.resize(arguments.size());
  dispatch.argument_sizes.resize(arguments.size());
  dispatch.threadgroup_lengths.resize(arguments.size());
  for (size_t slot = 0; slot < arguments.size(); ++slot) {
    const image::Argument &argument = arguments[slot];
    if (!argument.is_active)
      continue;
    switch (argument.kind) {
    case image::ArgumentKind::buffer:
    case image::ArgumentKind::function_table: {
      const BufferBinding &binding = bindings.buffers[argument.index];
      dispatch.arguments[slot] = binding.address + binding.offset;
      dispatch.argument_sizes[slot] = binding.length - binding.offset;
      break;
    }
    case image::ArgumentKind::threadgroup_memory:
      dispatch.threadgroup_lengths[slot] = bindings.threadgroup_lengths[argument.index];
      break;
    case image::ArgumentKind::texture:
      dispatch.arguments[slot] = const_cast<HmTexture *>(bindings.textures[argument.index].texture);
      break;
    case image::ArgumentKind::sampler:
      dispatch.arguments[slot] =
          reinterpret_cast<void *>(static_cast<uintptr_t>(bindings.samplers[argument.index]));
      break;
    }
  }
}

} // namespace hostmetal::api
