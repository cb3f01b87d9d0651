; Variables become values, branches on constants go, and so does what only those reached.

; CHECK: define void @k(ptr %out)
; CHECK-NEXT: entry:
; CHECK-NEXT: store i32 7, ptr %out
; CHECK-NEXT: ret void
; CHECK-NOT: @air.unheard_of
define void @k(ptr %out) {
entry:
  %variable = alloca i32
  store i32 7, ptr %variable
  %value = load i32, ptr %variable
  %test = icmp sgt i32 %value, 8
  br i1 %test, label %large, label %small
large:
  call void @air.unheard_of()
  br label %small
small:
  store i32 %value, ptr %out
  ret void
}
declare void @air.unheard_of()

!air.kernel = !{!0}
!0 = !{ptr @k, !{}, !1}
!1 = !{!2}
!2 = !{i32 0, !"air.buffer", !"air.arg_name", !"out"}

; CHECK: status 0
