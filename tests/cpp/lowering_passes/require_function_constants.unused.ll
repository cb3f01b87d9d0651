; A constant that nothing reads any more needs no value.

; CHECK: define void @k()
; CHECK: status 0
@scale = internal externally_initialized constant float undef
define void @k() {
  ret void
}
!air.function_constants = !{!2}
!2 = !{ptr @scale, !"float", !"scale", i32 4, i1 true}
!air.kernel = !{!0}
!0 = !{ptr @k, !{}, !{}}
