// LLVM has files that it writes removed should a signal end the process: it takes over the handlers
// of SIGINT, SIGTERM, SIGUSR1, … and keeps an entry for every file for ever. The signals belong to
// the program that loaded this library, and the linker's files lie in a folder that is removed; so
// nothing is registered (the library is linked with --wrap for both functions).

#include <llvm/ADT/StringRef.h>

#include <string>

#define REMOVE_FILE_ON_SIGNAL                                                                      \
  "__wrap__ZN4llvm3sys18RemoveFileOnSignalENS_9StringRefEPNSt7__cxx1112basic_stringIcSt11char_"    \
  "traitsIcESaIcEEE"
#define DONT_REMOVE_FILE_ON_SIGNAL "__wrap__ZN4llvm3sys22DontRemoveFileOnSignalENS_9StringRefE"

namespace hostmetal::api {

/// True would be an error.
bool remove_file_on_signal(llvm::StringRef, std::string *) asm(REMOVE_FILE_ON_SIGNAL);
bool remove_file_on_signal(llvm::StringRef, std::string *) {
  return false;
}

void dont_remove_file_on_signal(llvm::StringRef) asm(DONT_REMOVE_FILE_ON_SIGNAL);
void dont_remove_file_on_signal(llvm::StringRef) {}

} // namespace hostmetal::api
