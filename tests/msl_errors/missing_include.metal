#include <metal_stdlib>
#include "nowhere.h" //! fatal error@10: 'nowhere.h' file not found
