; CHECK: error: The kernel "k" calls itself, which only other functions may do.
; CHECK: status 1
define void @k(ptr %p) {
  call void @f(ptr %p)
  store i32 1, ptr %p
  ret void
}
define internal void @f(ptr %p) {
  call void @k(ptr %p)
  store i32 2, ptr %p
  ret void
}

!air.kernel = !{!0}
!0 = !{ptr @k, !{}, !1}
!1 = !{!2}
!2 = !{i32 0, !"air.buffer", !"air.arg_name", !"p"}
