#include "support/sha256.hpp"

#include <nettle/sha2.h>

namespace metalcore {

Digest sha256(std::string_view bytes) {
  static_assert(std::tuple_size_v<Digest> == SHA256_DIGEST_SIZE);
  Digest digest;
  sha256_ctx context;
  sha256_init(&context);
  sha256_update(&context, bytes.size(), reinterpret_cast<const uint8_t *>(bytes.data()));
  sha256_digest(&context, digest.size(), digest.data());
  return digest;
}

} // namespace metalcore
