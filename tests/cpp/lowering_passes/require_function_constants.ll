; CHECK: error: The kernel "k" needs a value for function constant "scale" (index 4).
; CHECK: status 1
@scale = internal externally_initialized constant float undef
define void @k() {
  %a = load volatile float, ptr @scale
  ret void
}
!air.function_constants = !{!2}
!2 = !{ptr @scale, !"float", !"scale", i32 4, i1 true}
!air.kernel = !{!0}
!0 = !{ptr @k, !{}, !{}}
