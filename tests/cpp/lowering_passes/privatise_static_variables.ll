; What constructors compute is the same for every thread: each keeps its own copy, which then folds away.
; Constants and threadgroup variables stay.

; CHECK-DAG: @constant = internal constant i32 5
; CHECK-DAG: @shared = internal global i32 undef, section "air.threadgroup"
@derived = internal global i32 3, align 4
@constant = internal constant i32 5
@shared = internal global i32 undef, section "air.threadgroup"

; CHECK: define void @k(ptr %out)
; CHECK-NEXT: [[OWN:%.*]] = alloca i32, align 4
; CHECK-NEXT: store i32 3, ptr [[OWN]]
; CHECK-NEXT: store i32 7, ptr [[OWN]]
; CHECK-NEXT: load i32, ptr [[OWN]]
; CHECK-NEXT: load i32, ptr @constant
; CHECK-NEXT: load i32, ptr @shared
define void @k(ptr %out) {
  store i32 7, ptr @derived
  %a = load i32, ptr @derived
  %b = load i32, ptr @constant
  %c = load i32, ptr @shared
  %d = add i32 %a, %b
  %e = add i32 %c, %d
  store i32 %e, ptr %out
  ret void
}

!air.kernel = !{!0}
!0 = !{ptr @k, !{}, !1}
!1 = !{!2}
!2 = !{i32 0, !"air.buffer", !"air.arg_name", !"out"}

; CHECK: status 0
