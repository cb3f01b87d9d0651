; The address of a function is a number, and a call through a pointer a choice among the functions of its
; type; one that is none of them gives zero.

; CHECK: define void @k(ptr %out, i1 %test)
; CHECK: %f = select i1 %test, ptr inttoptr (i64 -9223372036854775808 to ptr), ptr inttoptr (i64 -9223372036854775807 to ptr)
; CHECK: [[ID:%.*]] = ptrtoint ptr %f to i64
; CHECK: switch i64 [[ID]], label %unknown [
; CHECK-NEXT: i64 -9223372036854775808, label %[[ONE:.*]]
; CHECK-NEXT: i64 -9223372036854775807, label %[[TWO:.*]]
; CHECK-NEXT: ]
; CHECK: [[ONE]]:
; CHECK-NEXT: [[FIRST:%.*]] = call i32 @one(i32 7)
; CHECK: [[TWO]]:
; CHECK-NEXT: [[SECOND:%.*]] = call i32 @two(i32 7)
; CHECK: called:
; CHECK-NEXT: phi i32 [ 0, %unknown ], [ [[FIRST]], %[[ONE]] ], [ [[SECOND]], %[[TWO]] ]
define void @k(ptr %out, i1 %test) {
  %f = select i1 %test, ptr @one, ptr @two
  %a = call i32 %f(i32 7)
  store i32 %a, ptr %out
  ret void
}
define internal i32 @one(i32 %n) {
  ret i32 %n
}
define internal i32 @two(i32 %n) {
  %m = add i32 %n, 1
  ret i32 %m
}

!air.kernel = !{!0}
!0 = !{ptr @k, !{}, !1}
!1 = !{!2, !3}
!2 = !{i32 0, !"air.buffer", !"air.arg_name", !"out"}
!3 = !{i32 1, !"air.buffer", !"air.arg_name", !"test"}

; CHECK: status 0
