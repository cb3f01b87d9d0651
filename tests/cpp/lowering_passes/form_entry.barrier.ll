; With a barrier each thread has a fiber: the function takes one, and calls the executor through the grid.

; CHECK: define hidden void @hm_thread_k(ptr noundef %[[GROUP:.*]], ptr noundef %[[THREAD:.*]])
; CHECK: store i32 1
; CHECK: call void %[[BARRIER:.*]](ptr %[[THREAD]])
; CHECK: store i32 2
; CHECK-NOT: @hm_threadgroup_barrier
; CHECK: ; kernel k: barriers{{$}}
define void @k(ptr %out, i32 %index) {
  %p = getelementptr i32, ptr %out, i32 %index
  store i32 1, ptr %p
  call void @hm_threadgroup_barrier()
  store i32 2, ptr %p
  ret void
}
declare void @hm_threadgroup_barrier() convergent

!air.kernel = !{!0}
!0 = !{ptr @k, !{}, !1}
!1 = !{!2, !3}
!2 = !{i32 0, !"air.buffer", !"air.location_index", i32 0, i32 1, !"air.read_write", !"air.address_space", i32 1, !"air.arg_type_size", i32 4, !"air.arg_type_align_size", i32 4, !"air.arg_type_name", !"uint", !"air.arg_name", !"out"}
!3 = !{i32 1, !"air.thread_index_in_threadgroup", !"air.arg_type_name", !"uint", !"air.arg_name", !"index"}

; CHECK: status 0
