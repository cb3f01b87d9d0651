; A vector may lie wherever one of its elements may; atomic accesses keep their promise.

; CHECK: define void @k(ptr %p)
; CHECK: load <4 x float>, ptr %p, align 4
; CHECK: store <4 x float> %v, ptr %p, align 4
; CHECK: store { i32, i64 } zeroinitializer, ptr %p, align 1
; CHECK: load atomic i64, ptr %p monotonic, align 8
; CHECK: call void @llvm.memcpy.p0.p0.i64(ptr align 1 %p, ptr align 1 %p, i64 16, i1 false)
define void @k(ptr align 16 %p) {
  %v = load <4 x float>, ptr %p, align 16
  store <4 x float> %v, ptr %p, align 16
  store { i32, i64 } zeroinitializer, ptr %p, align 8
  %a = load atomic i64, ptr %p monotonic, align 8
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %p, ptr align 16 %p, i64 16, i1 false)
  ret void
}
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

!air.kernel = !{!0}
!0 = !{ptr @k, !{}, !1}
!1 = !{!2}
!2 = !{i32 0, !"air.buffer", !"air.arg_name", !"p"}

; CHECK: status 0
