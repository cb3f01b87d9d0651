; CHECK: error: The kernel "k" calls "again", which calls itself and has simdgroup operations in it, and this device has these outside of recursion only.
; CHECK: status 1
define void @k(ptr %out) {
  call void @again(ptr %out)
  ret void
}
define internal void @again(ptr %p) "hm-recursive" {
  %a = call ptr @hm_simd_exchange(ptr %p, i32 4)
  call void @again(ptr %a)
  ret void
}
declare ptr @hm_simd_exchange(ptr, i32) convergent

!air.kernel = !{!0}
!0 = !{ptr @k, !{}, !1}
!1 = !{!2}
!2 = !{i32 0, !"air.buffer", !"air.arg_name", !"out"}
