; What the metadata says of each parameter.

; CHECK: ; kernel k:
; CHECK: ; threadgroup memory 0, threads 256
; CHECK-NEXT: ; argument out: kind 0, index 3, access 1, float4 of 16 bytes{{$}}
; CHECK-NEXT: ; argument params: kind 0, index 0, access 0, Params of 8 bytes, constant, reference{{$}}
; CHECK-NEXT: ; argument scratch: kind 1, index 0, access 1, float of 4 bytes{{$}}
define void @k(ptr %out, ptr %params, ptr %scratch, i32 %id) {
  ret void
}

!air.kernel = !{!0}
!0 = !{ptr @k, !{}, !1, !6}
!1 = !{!2, !3, !4, !5}
!2 = !{i32 0, !"air.buffer", !"air.location_index", i32 3, i32 1, !"air.read_write", !"air.address_space", i32 1, !"air.arg_type_size", i32 16, !"air.arg_type_name", !"float4", !"air.arg_name", !"out"}
!3 = !{i32 1, !"air.buffer", !"air.buffer_size", i32 8, !"air.location_index", i32 0, i32 1, !"air.read", !"air.address_space", i32 2, !"air.arg_type_size", i32 8, !"air.arg_type_name", !"Params", !"air.arg_name", !"params"}
!4 = !{i32 2, !"air.buffer", !"air.location_index", i32 0, i32 1, !"air.read_write", !"air.address_space", i32 3, !"air.arg_type_size", i32 4, !"air.arg_type_name", !"float", !"air.arg_name", !"scratch"}
!5 = !{i32 3, !"air.thread_position_in_grid", !"air.arg_type_name", !"uint", !"air.arg_name", !"id"}
!6 = !{!"air.max_work_group_size", i32 256}

; CHECK: status 0
