; Builtins that the device library has get their bodies, private to the module; others stay declared.

; CHECK: define void @k(
; CHECK: declare i32 @air.unheard_of(i32)
; CHECK: define internal {{.*}}i32 @air.popcount.i32(i32
define void @k(ptr %p) {
  %a = call i32 @air.popcount.i32(i32 7)
  %b = call i32 @air.unheard_of(i32 %a)
  store i32 %b, ptr %p
  ret void
}
declare i32 @air.popcount.i32(i32)
declare i32 @air.unheard_of(i32)

!air.kernel = !{!0}
!0 = !{ptr @k, !{}, !1}
!1 = !{!2}
!2 = !{i32 0, !"air.buffer", !"air.arg_name", !"p"}

; CHECK: status 0
