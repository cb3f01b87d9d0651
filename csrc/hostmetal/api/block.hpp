#pragma once

#import <Foundation/Foundation.h>

#include <Block.h>

#include <utility>

namespace hostmetal::api {

/// The one owner of a copied block; T is a block type. On this runtime blocks are not objects, so
/// Retained cannot hold them. Copying shares the block, any thread may do it.
template <typename T> class Block {
public:
  Block() = default;
  explicit Block(T block) : block_(block ? static_cast<T>(Block_copy(block)) : T(nil)) {}
  Block(const Block &other) : Block(other.block_) {}
  Block(Block &&other) noexcept : block_(std::exchange(other.block_, T(nil))) {}
  Block &operator=(Block other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~Block() {
    if (block_)
      Block_release(block_);
  }

  explicit operator bool() const { return block_ != nil; }
  template <typename... Arguments> auto operator()(Arguments &&...arguments) const {
    return block_(std::forward<Arguments>(arguments)...);
  }

private:
  T block_ = nil;
};

} // namespace hostmetal::api
