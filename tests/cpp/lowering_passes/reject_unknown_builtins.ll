; What neither the executor nor the mathematics library provides is the user's error, by name.

; CHECK: error: The kernel "k" calls "air.unheard_of", which this device does not have.
; CHECK: status 1
define void @k(ptr %out) {
  %a = call float @sinf(float 1.0)
  %b = call ptr @hm_threadgroup_memory()
  call void @air.unheard_of(float %a, ptr %b)
  ret void
}
declare float @sinf(float)
declare ptr @hm_threadgroup_memory()
declare void @air.unheard_of(float, ptr)

!air.kernel = !{!0}
!0 = !{ptr @k, !{}, !1}
!1 = !{!2}
!2 = !{i32 0, !"air.buffer", !"air.arg_name", !"out"}
