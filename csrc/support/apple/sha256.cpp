#include "support/sha256.hpp"

#include <algorithm>

#include <CommonCrypto/CommonDigest.h>

namespace metalcore {

Digest sha256(std::string_view bytes) {
  static_assert(std::tuple_size_v<Digest> == CC_SHA256_DIGEST_LENGTH);
  constexpr std::size_t most = 1u << 30; // CommonCrypto counts in 32 bits
  CC_SHA256_CTX context;
  CC_SHA256_Init(&context);
  for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), most)))
    CC_SHA256_Update(&context, bytes.data(), static_cast<CC_LONG>(std::min(bytes.size(), most)));
  Digest digest;
  CC_SHA256_Final(digest.data(), &context);
  return digest;
}

} // namespace metalcore
