; An argument whose predicate is false does not exist in this specialisation.

; CHECK: define void @k(ptr %a, ptr %b)
; CHECK-NEXT: ret void
; CHECK-NOT: @hm_argument_predicate
; CHECK: ; argument a: {{.*}}, inactive
; CHECK: ; argument b: kind 0, index 1, access 0,  of 0 bytes{{$}}
define void @k(ptr %a, ptr %b) {
  call void @hm_argument_predicate(i32 0, i8 0)
  call void @hm_argument_predicate(i32 1, i8 1)
  ret void
}
declare void @hm_argument_predicate(i32, i8)

!air.kernel = !{!0}
!0 = !{ptr @k, !{}, !1}
!1 = !{!2, !3}
!2 = !{i32 0, !"air.buffer", !"air.location_index", i32 0, i32 1, !"air.arg_name", !"a"}
!3 = !{i32 1, !"air.buffer", !"air.location_index", i32 1, i32 1, !"air.arg_name", !"b"}

; CHECK: status 0
