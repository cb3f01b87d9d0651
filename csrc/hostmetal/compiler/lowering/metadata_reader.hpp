#pragma once

#include <llvm/IR/Constants.h>
#include <llvm/IR/Metadata.h>

#include <optional>

namespace hostmetal::lowering {

/// Reads the operands of a metadata node one after another; every call says whether it could.
class MetadataReader {
public:
  explicit MetadataReader(const llvm::MDNode *node) : node_(node) {}
  bool at_end() const { return !node_ || next_ >= node_->getNumOperands(); }
  const llvm::Metadata *peek() const { return at_end() ? nullptr : node_->getOperand(next_).get(); }
  void skip() { ++next_; }

  /// The next operand when it is a string; advances only then.
  std::optional<llvm::StringRef> string() {
    auto *value = llvm::dyn_cast_or_null<llvm::MDString>(peek());
    if (!value)
      return std::nullopt;
    ++next_;
    return value->getString();
  }
  /// The next operand when it is an integer; advances only then.
  std::optional<uint64_t> integer() {
    auto *value = llvm::mdconst::dyn_extract_or_null<llvm::ConstantInt>(peek());
    if (!value)
      return std::nullopt;
    ++next_;
    return value->getZExtValue();
  }
  /// The next operand when it is a node; advances only then.
  const llvm::MDNode *node() {
    auto *value = llvm::dyn_cast_or_null<llvm::MDNode>(peek());
    if (value)
      ++next_;
    return value;
  }

private:
  const llvm::MDNode *node_;
  unsigned next_ = 0;
};

} // namespace hostmetal::lowering
