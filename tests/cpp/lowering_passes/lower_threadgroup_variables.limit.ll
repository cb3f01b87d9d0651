; CHECK: error: The kernel "k" declares 32772 bytes of threadgroup memory; the limit is 32768.
; CHECK: status 1
@large = internal global [8193 x i32] undef, section "air.threadgroup"
define void @k() {
  store i32 1, ptr @large
  ret void
}
!air.kernel = !{!0}
!0 = !{ptr @k, !{}, !{}}
