; A builtin on vectors is the scalar builtin on each element; a dot product is arithmetic.

; CHECK: define void @k(
; CHECK: [[X:%.*]] = extractelement <2 x float> %v, i64 0
; CHECK: call float @air.fast_sin.f32(float [[X]])
; CHECK: [[Y:%.*]] = extractelement <2 x float> %v, i64 1
; CHECK: call float @air.fast_sin.f32(float [[Y]])
; CHECK-NOT: @air.fast_sin.v2f32
; CHECK: fmul fast float
; CHECK: fmul fast float
; CHECK: fadd fast float
; CHECK-NOT: @air.dot
define void @k(<2 x float> %v, ptr %out) {
  %s = call fast <2 x float> @air.fast_sin.v2f32(<2 x float> %v)
  %d = call fast float @air.dot.v2f32(<2 x float> %s, <2 x float> %v)
  store float %d, ptr %out
  ret void
}
declare <2 x float> @air.fast_sin.v2f32(<2 x float>)
declare float @air.dot.v2f32(<2 x float>, <2 x float>)

!air.kernel = !{!0}
!0 = !{ptr @k, !{}, !1}
!1 = !{!2, !3}
!2 = !{i32 0, !"air.buffer", !"air.arg_name", !"v"}
!3 = !{i32 1, !"air.buffer", !"air.arg_name", !"out"}

; CHECK: status 0
