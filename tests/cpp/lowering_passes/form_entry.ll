; Without synchronisation a kernel becomes a loop over a row of threads, whose accesses are independent.

; CHECK: define hidden void @hm_row_k(ptr noundef %[[GROUP:.*]], i32 noundef %[[Y:.*]], i32 noundef %[[Z:.*]])
; CHECK: %p = getelementptr i32, ptr %{{.*}}, i32 %[[X:.*]]
; CHECK-NEXT: store i32 1, ptr %p, {{.*}}!llvm.access.group ![[ACCESS:[0-9]+]]
; CHECK-NEXT: br label %next
; CHECK: x:
; CHECK-NEXT: %[[X]] = phi i32 [ %[[FIRST:.*]], %start ], [ %[[NEXT:.*]], %next ]
; CHECK: next:
; CHECK-NEXT: %[[NEXT]] = add nuw i32 %[[X]], 1
; CHECK: br i1 %{{.*}}, label %x, label %done, !llvm.loop ![[LOOP:[0-9]+]]
; CHECK: ![[LOOP]] = distinct !{![[LOOP]], {{.*}}![[PARALLEL:[0-9]+]]
; CHECK: !{!"llvm.loop.parallel_accesses", ![[ACCESS]]}
; CHECK: ; kernel k: regroupable
define void @k(ptr %out, i32 %id) {
  %p = getelementptr i32, ptr %out, i32 %id
  store i32 1, ptr %p
  ret void
}

!air.kernel = !{!0}
!0 = !{ptr @k, !{}, !1}
!1 = !{!2, !3}
!2 = !{i32 0, !"air.buffer", !"air.location_index", i32 0, i32 1, !"air.read_write", !"air.address_space", i32 1, !"air.arg_type_size", i32 4, !"air.arg_type_align_size", i32 4, !"air.arg_type_name", !"uint", !"air.arg_name", !"out"}
!3 = !{i32 1, !"air.thread_position_in_grid", !"air.arg_type_name", !"uint", !"air.arg_name", !"id"}

; CHECK: status 0
