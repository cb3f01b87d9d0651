; Constructors run first in the kernel; then the predicates of its arguments are read.

@derived = internal global i32 undef
@predicate = internal global i8 0
; CHECK-NOT: @llvm.global_ctors
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @initialise, ptr null }]

; CHECK: define void @k(ptr %optional)
; CHECK-NEXT: call void @initialise()
; CHECK-NEXT: %[[VALUE:.*]] = load i8, ptr @predicate
; CHECK-NEXT: call void @hm_argument_predicate(i32 0, i8 %[[VALUE]])
; CHECK-NEXT: load i32, ptr @derived
define void @k(ptr %optional) {
  %v = load i32, ptr @derived
  ret void
}
define internal void @initialise() {
  store i32 1, ptr @derived
  ret void
}

!air.kernel = !{!0}
!0 = !{ptr @k, !{}, !1}
!1 = !{!2}
!2 = !{i32 0, !"air.function_constant", !3, !"air.buffer", !"air.arg_name", !"optional"}
!3 = !{ptr @predicate, !"bool", !"use"}

; CHECK: status 0
