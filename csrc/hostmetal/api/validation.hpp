#pragma once

#include "hostmetal/api/compute_bindings.hpp"
#include "hostmetal/image/reflection.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hostmetal::api {

/// A misuse in one sentence, with the offending value and the limit; empty when there is none.
using Problem = std::optional<std::string>;

/// What setBytes takes.
inline constexpr size_t max_copied_bytes = 4096;

using Extent = std::array<uint64_t, 3>;

/// Whether `size` bytes from `offset` on lie within `length`; `subject` begins the sentence.
Problem check_range(std::string_view subject, uint64_t offset, uint64_t size, uint64_t length);
/// Whether two ranges of `size` bytes are apart.
Problem check_overlap(const uint8_t *source, const uint8_t *destination, uint64_t size);

/// `kind` is "buffer", "threadgroup memory", "texture" or "sampler".
Problem check_index(std::string_view kind, uint64_t index, size_t count = max_bindings);
/// An array of `length` bindings; nothing is read of arrays that cannot all be bound.
Problem check_array(std::string_view kinds, const void *array, uint64_t length, size_t count);
/// Where a binding at a buffer index begins.
Problem check_offset(uint64_t index, uint64_t offset, uint64_t length);
Problem check_bytes(uint64_t index, const void *bytes, uint64_t length);
Problem check_threadgroup_length(uint64_t index, uint64_t length);

/// `limit`: the pipeline's maxTotalThreadsPerThreadgroup.
Problem check_threadgroup_size(const image::Kernel &kernel, const Extent &size, uint64_t limit);
/// Whether the grid's threads can be counted; `threads` are all of its threads.
Problem check_grid(const image::Kernel &kernel, const Extent &threads);
/// Whether function tables are bound where the kernel takes them, and are of its own pipeline,
/// which `table_kernel` stands for.
Problem check_function_tables(const image::Kernel &kernel, const ComputeBindings &bindings,
                              const void *table_kernel);
/// Whether everything else that the kernel uses is bound, large enough and aligned.
Problem check_arguments(const image::Kernel &kernel, const ComputeBindings &bindings);

} // namespace hostmetal::api
