; CHECK: error: The kernel "k" calls "again", which calls itself, and this device has no recursion but that of a last call.
; CHECK: status 1
define void @k(ptr %p) {
  %a = call float @again(float 1.0)
  store float %a, ptr %p
  ret void
}
define internal float @again(float %x) {
  %a = call float @again(float %x)
  %b = fneg float %a
  ret float %b
}
!air.kernel = !{!0}
!0 = !{ptr @k, !{}, !1}
!1 = !{!2}
!2 = !{i32 0, !"air.buffer", !"air.arg_name", !"p"}
