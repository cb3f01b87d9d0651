// Included by GNUstep's headers; Debian does not ship it.
#include <Block.h>
