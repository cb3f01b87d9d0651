#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/IR/DerivedTypes.h>

#include <string>

namespace hostmetal::lowering {

/// The words of a builtin's name: "air.convert.f.v4f32.s.v4i32" without its "air". Empty for names
/// that do not begin with "air.".
inline llvm::SmallVector<llvm::StringRef, 8> air_words(llvm::StringRef name) {
  llvm::SmallVector<llvm::StringRef, 8> words;
  if (name.consume_front("air."))
    name.split(words, '.');
  return words;
}

/// The element count of a type word ("v4f32" → 4); 0 for a scalar or another word. The word becomes
/// the element's ("f32").
inline unsigned consume_vector_prefix(llvm::StringRef &word) {
  llvm::StringRef rest = word;
  unsigned count = 0;
  if (!rest.consume_front("v") || rest.consumeInteger(10, count) || count == 0 || rest.empty())
    return 0;
  word = rest;
  return count;
}

/// The scalar type of a type word: f16, bf16, f32, i1, i8, … i64; null for another word.
inline llvm::Type *scalar_type(llvm::LLVMContext &context, llvm::StringRef word) {
  if (word == "f16")
    return llvm::Type::getHalfTy(context);
  if (word == "bf16")
    return llvm::Type::getBFloatTy(context);
  if (word == "f32")
    return llvm::Type::getFloatTy(context);
  unsigned bits = 0;
  if (word.consume_front("i") && !word.getAsInteger(10, bits) && bits >= 1 && bits <= 64)
    return llvm::Type::getIntNTy(context, bits);
  return nullptr;
}

/// The scalar or vector type of a type word; null for another word.
inline llvm::Type *value_type(llvm::LLVMContext &context, llvm::StringRef word) {
  unsigned count = consume_vector_prefix(word);
  llvm::Type *element = scalar_type(context, word);
  return element && count ? llvm::FixedVectorType::get(element, count) : element;
}

} // namespace hostmetal::lowering
