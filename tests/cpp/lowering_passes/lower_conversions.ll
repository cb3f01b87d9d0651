; From float they saturate, from bool they give 0 or 1, and between the two 16-bit floats they pass through
; float, which holds both.

; CHECK: define void @k(
; CHECK: call i8 @llvm.fptoui.sat.i8.f32(float %f)
; CHECK: call <4 x i32> @llvm.fptosi.sat.v4i32.v4f32(<4 x float> %v)
; CHECK: [[WIDE:%.*]] = fpext half %h to float
; CHECK: fptrunc float [[WIDE]] to bfloat
; CHECK: uitofp i1 %b to float
; CHECK: sitofp i16 %i to float
; CHECK: sext i16 %i to i64
; CHECK: icmp ne i16 %i, 0
; CHECK-NOT: @air.convert
define void @k(float %f, <4 x float> %v, half %h, i1 %b, i16 %i, ptr %out) {
  %a = call i8 @air.convert.u.i8.f.f32(float %f)
  store volatile i8 %a, ptr %out
  %c = call <4 x i32> @air.convert.s.v4i32.f.v4f32(<4 x float> %v)
  store volatile <4 x i32> %c, ptr %out
  %d = call bfloat @air.convert.f.bf16.f.f16(half %h)
  store volatile bfloat %d, ptr %out
  %e = call float @air.convert.f.f32.s.i1(i1 %b)
  store volatile float %e, ptr %out
  %g = call float @air.convert.f.f32.s.i16(i16 %i)
  store volatile float %g, ptr %out
  %j = call i64 @air.convert.u.i64.s.i16(i16 %i)
  store volatile i64 %j, ptr %out
  %l = call i1 @air.convert.u.i1.s.i16(i16 %i)
  store volatile i1 %l, ptr %out
  ret void
}
declare i8 @air.convert.u.i8.f.f32(float)
declare <4 x i32> @air.convert.s.v4i32.f.v4f32(<4 x float>)
declare bfloat @air.convert.f.bf16.f.f16(half)
declare float @air.convert.f.f32.s.i1(i1)
declare float @air.convert.f.f32.s.i16(i16)
declare i64 @air.convert.u.i64.s.i16(i16)
declare i1 @air.convert.u.i1.s.i16(i16)

!air.kernel = !{!0}
!0 = !{ptr @k, !{}, !1}
!1 = !{!2, !3, !4, !5, !6, !7}
!2 = !{i32 0, !"air.buffer", !"air.arg_name", !"f"}
!3 = !{i32 1, !"air.buffer", !"air.arg_name", !"v"}
!4 = !{i32 2, !"air.buffer", !"air.arg_name", !"h"}
!5 = !{i32 3, !"air.buffer", !"air.arg_name", !"b"}
!6 = !{i32 4, !"air.buffer", !"air.arg_name", !"i"}
!7 = !{i32 5, !"air.buffer", !"air.arg_name", !"out"}

; CHECK: status 0
