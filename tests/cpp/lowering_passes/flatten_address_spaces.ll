; Apple's address spaces become one; threadgroup variables keep a section that says what they are.

; CHECK: @shared = internal global [4 x i32] undef, section "air.threadgroup"
@shared = internal addrspace(3) global [4 x i32] undef
; CHECK: @table = internal constant [2 x ptr] [ptr @shared, ptr null]
@table = internal addrspace(2) constant [2 x ptr addrspace(3)] [ptr addrspace(3) @shared, ptr addrspace(3) null]

; CHECK: define void @k(ptr %out, ptr %in)
; CHECK-NOT: addrspace
; CHECK: %slot = getelementptr [4 x i32], ptr @shared, i32 0, i32 1
; CHECK: call void @llvm.memcpy.p0.p0.i64(ptr %out, ptr %in, i64 16, i1 false)
; CHECK: store i32 1, ptr %slot
define void @k(ptr addrspace(1) %out, ptr addrspace(2) %in) {
  %slot = getelementptr [4 x i32], ptr addrspace(3) @shared, i32 0, i32 1
  call void @llvm.memcpy.p1.p2.i64(ptr addrspace(1) %out, ptr addrspace(2) %in, i64 16, i1 false)
  %generic = addrspacecast ptr addrspace(3) %slot to ptr
  store i32 1, ptr %generic
  ret void
}
declare void @llvm.memcpy.p1.p2.i64(ptr addrspace(1), ptr addrspace(2), i64, i1)

; CHECK: !{ptr @k,
!air.kernel = !{!0}
!0 = !{ptr @k, !{}, !{}}

; CHECK: status 0
