; A kernel that calls recursive functions gets a fiber, though nothing waits. They learn of their group and thread, and
; look first how much stack is left.

; CHECK: define hidden void @hm_thread_k(ptr noundef %[[GROUP:.*]], ptr noundef %[[THREAD:.*]])
; CHECK: call i32 @again(i32 5, ptr %[[GROUP]], ptr %[[THREAD]])
; CHECK: define internal i32 @again(i32 %n, ptr %[[OWN_GROUP:.*]], ptr %[[OWN:.*]])
; CHECK-NEXT: %local = alloca i32
; CHECK: getelementptr inbounds i8, ptr %[[OWN_GROUP]], i64 0
; CHECK: %[[STACK:.*]] = call ptr @llvm.stacksave.p0()
; CHECK: %[[PLACE:.*]] = getelementptr inbounds i8, ptr %[[OWN]], i64 16
; CHECK: %[[LIMIT:.*]] = load ptr, ptr %[[PLACE]]
; CHECK: %[[FULL:.*]] = icmp ult ptr %[[STACK]], %[[LIMIT]]
; CHECK: br i1 %[[FULL]], label %[[OVERFLOW:.*]], label %[[ON:.*]], !prof
; CHECK: [[OVERFLOW]]:
; CHECK-NEXT: call void %{{.*}}(ptr %[[OWN]]) #[[NO_RETURN:[0-9]+]]
; CHECK-NEXT: unreachable
; CHECK: [[ON]]:
; CHECK: call void %{{.*}}(ptr %[[OWN]])
; CHECK: call i32 @again(i32 %m, ptr %[[OWN_GROUP]], ptr %[[OWN]])
; CHECK: attributes #[[NO_RETURN]] = { noreturn nounwind }
; CHECK: ; kernel k: barriers{{$}}
define void @k(ptr %out) {
  %a = call i32 @again(i32 5)
  store i32 %a, ptr %out
  ret void
}
define internal i32 @again(i32 %n) "hm-recursive" {
  %local = alloca i32
  call void @hm_threadgroup_barrier()
  store i32 %n, ptr %local
  %m = call i32 @other(ptr %local)
  %a = call i32 @again(i32 %m)
  ret i32 %a
}
declare i32 @other(ptr)
declare void @hm_threadgroup_barrier() convergent

!air.kernel = !{!0}
!0 = !{ptr @k, !{}, !1}
!1 = !{!2}
!2 = !{i32 0, !"air.buffer", !"air.location_index", i32 0, i32 1, !"air.read_write", !"air.address_space", i32 1, !"air.arg_type_size", i32 4, !"air.arg_type_align_size", i32 4, !"air.arg_type_name", !"uint", !"air.arg_name", !"out"}

; CHECK: status 0
