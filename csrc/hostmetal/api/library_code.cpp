#include "hostmetal/api/library_code.hpp"

#include "support/request_key.hpp"

#include <algorithm>
#include <cstring>

namespace hostmetal::api {

const image::Function *LibraryCode::find(std::string_view name) const {
  const auto found =
      std::ranges::find(description_.functions, name, [](const image::Function &function) {
        return std::string_view(function.name);
      });
  return found == description_.functions.end() ? nullptr : &*found;
}

metalcore::Digest LibraryCode::kernel_key(const image::Function &function,
                                          const std::vector<Constant> &constants,
                                          const LinkedFunctions &linked) const {
  metalcore::RequestKey key;
  key.text({reinterpret_cast<const char *>(identity_.data()), identity_.size()});
  key.text(function.name);
  key.number(constants.size());
  for (const Constant &constant : constants)
    key.number(constant.index).number(constant.data_type).text(constant.bytes);
  for (const LinkedFunction &each : linked)
    key.text({reinterpret_cast<const char *>(each.key.data()), each.key.size()});
  return metalcore::sha256(key.take());
}

uint64_t LinkedFunction::number() const {
  uint64_t number = 0;
  std::memcpy(&number, key.data(), sizeof(number));
  // The upper half is for functions of the kernel's own library, and 0 for no function.
  return std::max<uint64_t>(number >> 1, 1);
}

} // namespace hostmetal::api
