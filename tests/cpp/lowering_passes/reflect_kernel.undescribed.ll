; A parameter that nothing describes would be read from nowhere.

; CHECK: error: The metadata of kernel "k" describes 0 of its 1 parameters.
; CHECK: status 1
define void @k(ptr %out) {
  ret void
}
!air.kernel = !{!0}
!0 = !{ptr @k, !{}, !{}}
