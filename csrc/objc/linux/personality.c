// clang names __gnu_objc_personality_v0 as the personality of every Objective-C++ function on GCC's
// runtime, and libobjc's version of it knows no C++ handlers: a `catch` in a .mm file would end in
// std::terminate. Each shared library with Objective-C++ objects links this hidden definition,
// which forwards to C++'s.
#include <unwind.h>

_Unwind_Reason_Code __gxx_personality_v0(int version, _Unwind_Action actions,
                                         _Unwind_Exception_Class exception_class,
                                         struct _Unwind_Exception *exception,
                                         struct _Unwind_Context *context);

__attribute__((visibility("hidden"))) _Unwind_Reason_Code __gnu_objc_personality_v0(
    int version, _Unwind_Action actions, _Unwind_Exception_Class exception_class,
    struct _Unwind_Exception *exception, struct _Unwind_Context *context) {
  return __gxx_personality_v0(version, actions, exception_class, exception, context);
}
