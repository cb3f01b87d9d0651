// Messages: the executor takes them as they are.
#include "device.hpp"

namespace air {
void os_log(const char *subsystem, const char *category, uint32_t type, const char *format,
            const void *arguments, uint64_t size) AIR("os_log");
void os_log(const char *subsystem, const char *category, uint32_t type, const char *format,
            const void *arguments, uint64_t size) {
  hm_log(subsystem, category, type, format, arguments, size);
}
} // namespace air
