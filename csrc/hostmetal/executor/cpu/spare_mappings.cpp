#include "hostmetal/executor/cpu/spare_mappings.hpp"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>
#include <utility>

namespace hostmetal::cpu {

/// Counts another return of a mapping of this size.
bool SpareMappings::Kept::recurs(uint64_t size) {
  constexpr size_t most_sizes = 32;
  const auto known = std::find_if(sizes.begin(), sizes.end(),
                                  [size](const Size &other) { return other.size == size; });
  if (known != sizes.end())
    return ++known->returns >= recurrence;
  sizes.push_back({size, 1});
  if (sizes.size() > most_sizes)
    sizes.pop_front();
  return false;
}

std::byte *SpareMappings::take(uint64_t size) {
  std::byte *address = kept_.with([size](Kept &kept) -> std::byte * {
    // The newest may still be in the CPU's caches.
    const auto found =
        std::find_if(kept.mappings.rbegin(), kept.mappings.rend(),
                     [size](const Mapping &mapping) { return mapping.size == size; });
    if (found == kept.mappings.rend())
      return nullptr;
    std::byte *taken = found->address;
    kept.mappings.erase(std::next(found).base());
    kept.size -= size;
    return taken;
  });
  if (address != nullptr)
    std::memset(address, 0, size);
  return address;
}

void SpareMappings::give(std::byte *address, uint64_t size) {
  std::deque<Mapping> surplus;
  if (size > limit_)
    surplus.push_back({address, size});
  else
    kept_.with([&](Kept &kept) {
      if (!kept.recurs(size)) {
        surplus.push_back({address, size});
        return;
      }
      kept.mappings.push_back({address, size});
      kept.size += size;
      while (kept.size > limit_) {
        kept.size -= kept.mappings.front().size;
        surplus.push_back(kept.mappings.front());
        kept.mappings.pop_front();
      }
    });
  unmap(surplus);
}

void SpareMappings::drop() {
  unmap(kept_.with([](Kept &kept) { return std::exchange(kept, {}).mappings; }));
}

void SpareMappings::unmap(const std::deque<Mapping> &mappings) {
  for (const Mapping &mapping : mappings)
    munmap(mapping.address, mapping.size);
}

} // namespace hostmetal::cpu
