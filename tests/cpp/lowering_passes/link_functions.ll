; A function that is declared with a body elsewhere must be among the pipeline's linked functions.

; CHECK: error: The visible function "shade" is called by name and is none of the pipeline's linked functions.
; CHECK: status 1
define void @k(ptr %out) {
  %a = call float @shade.MTL_VISIBLE_FN_REF(float 1.0)
  store float %a, ptr %out
  ret void
}
declare float @shade.MTL_VISIBLE_FN_REF(float)

!air.kernel = !{!0}
!0 = !{ptr @k, !{}, !1}
!1 = !{!2}
!2 = !{i32 0, !"air.buffer", !"air.arg_name", !"out"}
