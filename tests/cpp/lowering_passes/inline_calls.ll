; After it the kernel is one function: what it called is inside and gone.

; CHECK: define void @k(
; CHECK-NOT: call i32 @outer
; CHECK: mul i32
; CHECK: add i32
; CHECK-NOT: define internal
define void @k(ptr %p) {
  %n = load i32, ptr %p
  %a = call i32 @outer(i32 %n)
  store i32 %a, ptr %p
  ret void
}
define internal i32 @outer(i32 %n) noinline optnone {
  %a = call i32 @inner(i32 %n)
  %b = add i32 %a, 1
  ret i32 %b
}
define internal i32 @inner(i32 %n) {
  %a = mul i32 %n, 3
  ret i32 %a
}

!air.kernel = !{!0}
!0 = !{ptr @k, !{}, !1}
!1 = !{!2}
!2 = !{i32 0, !"air.buffer", !"air.arg_name", !"p"}

; CHECK: status 0
