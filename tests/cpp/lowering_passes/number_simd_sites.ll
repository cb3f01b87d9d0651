; Lanes meet at sites. Places count in the order of control flow; in a loop the iteration counts before the
; place. Three places at the top level take two bits: 0, the loop at 1, and 2.

; CHECK: define void @k(
; CHECK: call ptr @hm_simd_exchange_at(i64 0, ptr %out, i32 4)
; CHECK: loop:
; CHECK: %iteration = phi i64 [ 0, %{{.*}} ], [ %[[NEXT:.*]], %loop ]
; CHECK: [[COUNT:%.*]] = and i64 %iteration, 4294967295
; CHECK: [[SHIFTED:%.*]] = shl i64 [[COUNT]], 30
; CHECK: [[LOOP:%.*]] = add i64 4611686018427387904, [[SHIFTED]]
; CHECK: [[SITE:%.*]] = add i64 [[LOOP]], 0
; CHECK: call ptr @hm_simd_exchange_at(i64 [[SITE]], ptr %out, i32 4)
; CHECK: after:
; CHECK: call ptr @hm_simd_exchange_at(i64 -9223372036854775808, ptr %out, i32 4)
; CHECK-NOT: call ptr @hm_simd_exchange(
define void @k(ptr %out, i32 %n) {
entry:
  %a = call ptr @hm_simd_exchange(ptr %out, i32 4)
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %b = call ptr @hm_simd_exchange(ptr %out, i32 4)
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %after
after:
  %c = call ptr @hm_simd_exchange(ptr %out, i32 4)
  ret void
}
declare ptr @hm_simd_exchange(ptr, i32) convergent

!air.kernel = !{!0}
!0 = !{ptr @k, !{}, !1}
!1 = !{!2, !3}
!2 = !{i32 0, !"air.buffer", !"air.arg_name", !"out"}
!3 = !{i32 1, !"air.buffer", !"air.arg_name", !"n"}

; CHECK: status 0
