#pragma once

// The compiler of the shading language, where a program wants a say in when it is opened.

#ifdef __cplusplus
extern "C" {
#endif

/// Opens the compiler on the calling thread, some 10 ms of work, unless that has happened already.
/// Without it, the first compile does. A compiler that cannot be opened is reported by that
/// compile, not here. Needs no Foundation; any thread.
__attribute__((visibility("default"))) void hostmetal_open_compiler(void);

#ifdef __cplusplus
}
#endif
