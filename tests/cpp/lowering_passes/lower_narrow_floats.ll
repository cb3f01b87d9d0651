; bfloat is computed in float, and rounded to nearest even by integer arithmetic, NaN kept quiet: no call of
; a library's conversion is left to code generation.

; CHECK: define void @k(
; CHECK: [[BITS:%.*]] = bitcast bfloat %a to i16
; CHECK: [[WORD:%.*]] = zext i16 [[BITS]] to i32
; CHECK: [[HIGH:%.*]] = shl i32 [[WORD]], 16
; CHECK: [[WIDE:%.*]] = bitcast i32 [[HIGH]] to float
; CHECK: [[SUM:%.*]] = fadd float [[WIDE]]
; CHECK: add i32 %{{.*}}, 32767
; CHECK: or i32 %{{.*}}, 4194304
; CHECK: fcmp uno float [[SUM]], [[SUM]]
; CHECK: trunc i32 %{{.*}} to i16
; CHECK-NOT: fpext
; CHECK-NOT: fptrunc
; CHECK: ret void
define void @k(bfloat %a, bfloat %b, ptr %out) {
  %sum = fadd bfloat %a, %b
  store bfloat %sum, ptr %out
  %wide = fpext bfloat %sum to float
  store volatile float %wide, ptr %out
  ret void
}

!air.kernel = !{!0}
!0 = !{ptr @k, !{}, !1}
!1 = !{!2, !3, !4}
!2 = !{i32 0, !"air.buffer", !"air.arg_name", !"a"}
!3 = !{i32 1, !"air.buffer", !"air.arg_name", !"b"}
!4 = !{i32 2, !"air.buffer", !"air.arg_name", !"out"}

; CHECK: status 0
