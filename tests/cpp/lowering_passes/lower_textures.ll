; The builtins of all kinds of textures become a few functions on pixels, which know neither type nor kind;
; one whose operands are not those of its name stays, to be reported.

; CHECK: define void @k(
; CHECK: call i32 @hm_texture_width(ptr %t, i32 0)
; CHECK: [[TEXEL:%.*]] = call <4 x i32> @hm_texture_read(ptr %t, i32 %{{.*}}, i32 %{{.*}}, i32 3, i32 0)
; CHECK: bitcast <4 x i32> [[TEXEL]] to <4 x float>
; CHECK: call void @hm_texture_write(ptr %u, i32 %{{.*}}, i32 %{{.*}}, i32 %{{.*}}, i32 0, <4 x i32>
; CHECK: call i32 @air.get_width_texture_3d(ptr %t)
; CHECK-NOT: call {{.*}}@air.read
; CHECK-NOT: call {{.*}}@air.write
define void @k(ptr %t, ptr %u, <2 x i32> %at) {
  %width = call i32 @air.get_width_texture_2d_array(ptr %t, i32 0)
  %texel = call <4 x float> @air.read_texture_2d_array.v4f32(ptr %t, <2 x i32> %at, i32 3, i32 0, i32 1)
  call void @air.write_texture_2d.v4f32(ptr %u, <2 x i32> %at, <4 x float> %texel, i32 0, i32 2)
  %wrong = call i32 @air.get_width_texture_3d(ptr %t)
  ret void
}
declare i32 @air.get_width_texture_2d_array(ptr, i32)
declare <4 x float> @air.read_texture_2d_array.v4f32(ptr, <2 x i32>, i32, i32, i32)
declare void @air.write_texture_2d.v4f32(ptr, <2 x i32>, <4 x float>, i32, i32)
declare i32 @air.get_width_texture_3d(ptr)

!air.kernel = !{!0}
!0 = !{ptr @k, !{}, !1}
!1 = !{!2, !3, !4}
!2 = !{i32 0, !"air.texture", !"air.location_index", i32 0, i32 1, !"air.read", !"air.arg_type_name", !"texture2d_array<float, read>", !"air.arg_name", !"t"}
!3 = !{i32 1, !"air.texture", !"air.location_index", i32 1, i32 1, !"air.write", !"air.arg_type_name", !"texture2d<float, write>", !"air.arg_name", !"u"}
!4 = !{i32 2, !"air.thread_position_in_grid", !"air.arg_type_name", !"uint2", !"air.arg_name", !"at"}

; CHECK: status 0
