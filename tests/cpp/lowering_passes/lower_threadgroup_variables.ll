; Variables get places in the threadgroup's memory, each at its alignment, before anything optimises them;
; one that nothing uses takes no room.

; CHECK-NOT: @bytes
@bytes = internal global [3 x i8] undef, section "air.threadgroup"
@unused = internal global [64 x i8] undef, section "air.threadgroup"
@words = internal global [4 x i64] undef, section "air.threadgroup", align 8

; CHECK: define void @k(ptr %out)
; CHECK-DAG: [[BYTES:%.*]] = getelementptr inbounds i8, ptr %{{.*}}, i64 0
; CHECK-DAG: [[WORDS:%.*]] = getelementptr inbounds i8, ptr %{{.*}}, i64 8
; CHECK: store i8 1, ptr [[BYTES]]
; CHECK: getelementptr [4 x i64], ptr [[WORDS]], i32 0, i32 2
define void @k(ptr %out) {
  store i8 1, ptr @bytes
  %word = getelementptr [4 x i64], ptr @words, i32 0, i32 2
  store i64 2, ptr %word
  ret void
}

!air.kernel = !{!0}
!0 = !{ptr @k, !{}, !1}
!1 = !{!2}
!2 = !{i32 0, !"air.buffer", !"air.arg_name", !"out"}

; CHECK: declare ptr @hm_threadgroup_memory()
; CHECK: ; threadgroup memory 48,
; CHECK: status 0
