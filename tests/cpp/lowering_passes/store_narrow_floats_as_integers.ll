; Moves of bfloat are moves of its bits.

; CHECK: define void @k(
; CHECK: load i16, ptr %in
; CHECK: phi i16
; CHECK: store i16
; CHECK-NOT: load bfloat
; CHECK-NOT: phi bfloat
; CHECK-NOT: store bfloat
; CHECK: ret void
define void @k(ptr %in, ptr %out, i1 %test) {
entry:
  %a = load bfloat, ptr %in
  br i1 %test, label %one, label %both
one:
  br label %both
both:
  %b = phi bfloat [ %a, %entry ], [ 0xR3F80, %one ]
  store bfloat %b, ptr %out
  ret void
}

!air.kernel = !{!0}
!0 = !{ptr @k, !{}, !1}
!1 = !{!2, !3, !4}
!2 = !{i32 0, !"air.buffer", !"air.arg_name", !"in"}
!3 = !{i32 1, !"air.buffer", !"air.arg_name", !"out"}
!4 = !{i32 2, !"air.buffer", !"air.arg_name", !"test"}

; CHECK: status 0
