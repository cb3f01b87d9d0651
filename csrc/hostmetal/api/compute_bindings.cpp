#include "hostmetal/api/compute_bindings.hpp"

#include "hostmetal/executor/executor.hpp"

#include <memory>

namespace hostmetal::api {
namespace {

/// The one, or the address of all of an array.
template <class Place>
void *capture(const image::Argument &argument, Dispatch &dispatch, Place place) {
  if (argument.array_length == 1)
    return place(argument.index);
  const auto &places =
      dispatch.argument_arrays.emplace_back(std::make_shared<void *[]>(argument.array_length));
  for (uint32_t i = 0; i < argument.array_length; ++i)
    places[i] = place(argument.index + i);
  return places.get();
}

} // namespace

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
      dispatch.arguments[slot] = capture(argument, dispatch, [&](uint32_t index) {
        return const_cast<HmTexture *>(bindings.textures[index].texture);
      });
      break;
    case image::ArgumentKind::sampler:
      dispatch.arguments[slot] = capture(argument, dispatch, [&](uint32_t index) {
        return reinterpret_cast<void *>(static_cast<uintptr_t>(bindings.samplers[index]));
      });
      break;
    }
  }
}

} // namespace hostmetal::api
