#pragma once

#include <llvm/ADT/Twine.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/raw_ostream.h>

#include <string>

namespace hostmetal::lowering {

/// The user's program or request is at fault: the message is for the user. Errors of any other
/// class are defects of the compiler.
class KernelError : public llvm::ErrorInfo<KernelError> {
public:
  static char ID;
  explicit KernelError(std::string message) : message_(std::move(message)) {}
  void log(llvm::raw_ostream &out) const override { out << message_; }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

private:
  std::string message_;
};

/// One full sentence, without a newline.
inline llvm::Error kernel_error(const llvm::Twine &message) {
  return llvm::make_error<KernelError>(message.str());
}

} // namespace hostmetal::lowering
