#pragma once

// The compiler of the shading language, where a program wants a say in when it is opened.

#ifdef __cplusplus
extern "C" {
#endif

/// Opens the compiler on the calling thread, some 10 ms of work, unless that has happened already.
/// Without it, the first compile does. A compiler that cannot be opened is reported by that
/// compile, not here. Needs no Foundation; any thread.
__attribute__((visibility("default"))) void hostmetal_open_compiler(void);

/// Opens the compiler and lets its code generator do one small kernel, some 15 ms of work that the
/// first compile would have to do: to set it up, and to read its code from the disk. Needs no
/// Foundation; any thread.
__attribute__((visibility("default"))) void hostmetal_warm_up_compiler(void);

#ifdef __cplusplus
}
#endif
