#pragma once

#include <map>
#include <string>
#include <string_view>

namespace metalcore {

/// The source with the headers that it includes by name put in place: Metal compiles from one text.
/// Diagnostics name the header and its lines. A name is looked for beside the header that includes
/// it first; what `headers` does not have stays an include. Throws std::invalid_argument when a
/// header has no proper name, includes itself without a guard, or makes the source larger than
/// 64 MiB.
std::string with_headers(std::string_view source,
                         const std::map<std::string, std::string> &headers);

} // namespace metalcore
