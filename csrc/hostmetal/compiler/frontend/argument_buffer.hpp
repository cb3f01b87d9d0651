/// Structs that hold pointers and other resources, as Metal numbers their members.
#pragma once

#include "clang/AST/Type.h"
#include "clang/Sema/Sema.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <cstdint>
#include <vector>

namespace clang {
class ASTContext;
class CXXRecordDecl;
class FieldDecl;
} // namespace clang

namespace hostmetal::frontend {

/// What an array is made of, of all its dimensions: `T[n]` or `metal::array<T, n>`.
struct ArrayShape {
  clang::QualType element; ///< the type itself if it is no array
  uint64_t length = 0;     ///< 0: no array
};
ArrayShape array_shape(clang::QualType type, const clang::ASTContext &context);

/// A struct whose members Metal reflects: not one that stands for a vector, matrix or resource.
/// Null for all other types.
const clang::CXXRecordDecl *reflected_struct(clang::QualType type);

/// One member of an argument buffer.
struct ArgumentMember {
  const clang::FieldDecl *field = nullptr;
  ArrayShape shape;
  /// [[id(n)]], of its first element; the next free one if the source has none. Relative to the
  /// struct, where that lies in another.
  uint64_t id = 0;
};

/// Whether a struct holds pointers or other resources, itself or in a struct within, or numbers its
/// members.
bool is_argument_buffer(clang::QualType type, const clang::ASTContext &context);
/// The named members of a struct, in order.
std::vector<ArgumentMember> argument_members(const clang::CXXRecordDecl &record,
                                             const clang::ASTContext &context);

/// Reports what is wrong with argument buffers, each struct once.
class ArgumentBufferCheck {
public:
  explicit ArgumentBufferCheck(clang::Sema &sema) : sema_(sema), context_(sema.Context) {}

  /// Checks the members of a buffer's element, and of what it points to.
  void check(clang::QualType type);

private:
  void check_ids(const clang::CXXRecordDecl &record);

  clang::Sema &sema_;
  clang::ASTContext &context_;
  llvm::SmallPtrSet<const clang::CXXRecordDecl *, 4> seen_;
};

} // namespace hostmetal::frontend
