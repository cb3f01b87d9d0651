#include "hostmetal/api/library_code.hpp"

#include <algorithm>

namespace hostmetal::api {

const image::Function *LibraryCode::find(std::string_view name) const {
  const auto found =
      std::ranges::find(description_.functions, name, [](const image::Function &function) {
        return std::string_view(function.name);
      });
  return found == description_.functions.end() ? nullptr : &*found;
}

} // namespace hostmetal::api
