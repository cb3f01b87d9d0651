#include "hostmetal/compiler/lowering/kernel_error.hpp"

namespace hostmetal::lowering {

char KernelError::ID = 0;

} // namespace hostmetal::lowering
