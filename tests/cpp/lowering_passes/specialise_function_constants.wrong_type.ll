; A value of another type is not reinterpreted.
; ARGS: --constant 1:int:01000000

; CHECK: error: Function constant "scale" (index 1) of kernel "k" is of type float, and its value is of type int.
; CHECK: status 1
@scale = internal externally_initialized constant float undef
define void @k() {
  %a = load float, ptr @scale
  ret void
}
!air.function_constants = !{!2}
!2 = !{ptr @scale, !"float", !"scale", i32 1, i1 true}
!air.kernel = !{!0}
!0 = !{ptr @k, !{}, !{}}
