; Atomics of the language are atomics of LLVM, with their order, sign and type; a failed exchange hands back
; what it found.

; CHECK: define void @k(
; CHECK: atomicrmw add ptr %p, i32 1 monotonic, align 4
; CHECK: atomicrmw umin ptr %p, i32 2 monotonic, align 4
; CHECK: atomicrmw max ptr %p, i64 3 monotonic, align 8
; CHECK: atomicrmw fadd ptr %p, float 1.000000e+00 monotonic, align 4
; CHECK: load atomic i32, ptr %p acquire, align 4
; CHECK: store atomic i32 4, ptr %p release, align 4
; CHECK: [[EXPECTED:%.*]] = load i32, ptr %expected
; CHECK: [[RESULT:%.*]] = cmpxchg ptr %p, i32 [[EXPECTED]], i32 9 acq_rel acquire, align 4
; CHECK: [[FOUND:%.*]] = extractvalue { i32, i1 } [[RESULT]], 0
; CHECK: [[DONE:%.*]] = extractvalue { i32, i1 } [[RESULT]], 1
; CHECK: [[KEPT:%.*]] = select i1 [[DONE]], i32 [[EXPECTED]], i32 [[FOUND]]
; CHECK: store i32 [[KEPT]], ptr %expected
; CHECK: fence seq_cst
; CHECK-NOT: fence
; CHECK: ret void
; CHECK-NOT: @air.
define void @k(ptr %p, ptr %expected) {
  %a = call i32 @air.atomic.global.add.s.i32(ptr %p, i32 1, i32 0, i32 2, i1 true)
  %b = call i32 @air.atomic.local.min.u.i32(ptr %p, i32 2, i32 0, i32 2, i1 true)
  %c = call i64 @air.atomic.global.max.s.i64(ptr %p, i64 3, i32 0, i32 2, i1 true)
  %d = call float @air.atomic.global.add.f32(ptr %p, float 1.0, i32 0, i32 2, i1 true)
  %e = call i32 @air.atomic.global.load.i32(ptr %p, i32 2, i32 2, i1 true)
  call void @air.atomic.global.store.i32(ptr %p, i32 4, i32 3, i32 2, i1 true)
  %f = call i1 @air.atomic.global.cmpxchg.weak.i32(ptr %p, ptr %expected, i32 9, i32 4, i32 2, i32 2, i1 true)
  call void @air.atomic.fence(i32 1, i32 5, i32 2)
  call void @air.atomic.fence(i32 1, i32 0, i32 2)
  ret void
}
declare i32 @air.atomic.global.add.s.i32(ptr, i32, i32, i32, i1)
declare i32 @air.atomic.local.min.u.i32(ptr, i32, i32, i32, i1)
declare i64 @air.atomic.global.max.s.i64(ptr, i64, i32, i32, i1)
declare float @air.atomic.global.add.f32(ptr, float, i32, i32, i1)
declare i32 @air.atomic.global.load.i32(ptr, i32, i32, i1)
declare void @air.atomic.global.store.i32(ptr, i32, i32, i32, i1)
declare i1 @air.atomic.global.cmpxchg.weak.i32(ptr, ptr, i32, i32, i32, i32, i1)
declare void @air.atomic.fence(i32, i32, i32)

!air.kernel = !{!0}
!0 = !{ptr @k, !{}, !1}
!1 = !{!2, !3}
!2 = !{i32 0, !"air.buffer", !"air.arg_name", !"p"}
!3 = !{i32 1, !"air.buffer", !"air.arg_name", !"expected"}

; CHECK: status 0
