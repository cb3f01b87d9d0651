; A GPU does not trap. Divisors of 0 become 1, and so does -1 under the least number; constants that are
; neither need no guard.

; CHECK: define void @k(
; CHECK: [[ZERO:%.*]] = icmp eq i32 %b, 0
; CHECK: [[SAFE:%.*]] = select i1 [[ZERO]], i32 1, i32 %b
; CHECK: udiv i32 %a, [[SAFE]]
; CHECK: [[LEAST:%.*]] = icmp eq i32 %a, -2147483648
; CHECK: [[MINUS:%.*]] = icmp eq i32 %b, -1
; CHECK: [[OVERFLOWS:%.*]] = and i1 [[LEAST]], [[MINUS]]
; CHECK: [[UNSAFE:%.*]] = or i1 %{{.*}}, [[OVERFLOWS]]
; CHECK: [[DIVISOR:%.*]] = select i1 [[UNSAFE]], i32 1, i32 %b
; CHECK: srem i32 %a, [[DIVISOR]]
; CHECK: sdiv i32 %a, 10
define void @k(i32 %a, i32 %b, ptr %out) {
  %x = udiv i32 %a, %b
  store volatile i32 %x, ptr %out
  %y = srem i32 %a, %b
  store volatile i32 %y, ptr %out
  %z = sdiv i32 %a, 10
  store volatile i32 %z, ptr %out
  ret void
}

!air.kernel = !{!0}
!0 = !{ptr @k, !{}, !1}
!1 = !{!2, !3, !4}
!2 = !{i32 0, !"air.buffer", !"air.arg_name", !"a"}
!3 = !{i32 1, !"air.buffer", !"air.arg_name", !"b"}
!4 = !{i32 2, !"air.buffer", !"air.arg_name", !"out"}

; CHECK: status 0
