; A matrix is 64 elements of which a lane holds two. A product is one exchange within the simdgroup; loads
; and stores are two accesses each.

; CHECK: define void @k(
; CHECK: [[OFFSET:%.*]] = call i64 @hm_matrix_element_offset(i32 0, i64 %stride, i64 1, i64 2, i32 1)
; CHECK: [[FIRST:%.*]] = getelementptr half, ptr %in, i64 [[OFFSET]]
; CHECK: call i64 @hm_matrix_element_offset(i32 1, i64 %stride, i64 1, i64 2, i32 1)
; CHECK: load half, ptr [[FIRST]]
; CHECK: load half, ptr
; CHECK-NOT: load half
; CHECK: [[FRAME:%.*]] = call ptr @hm_simd_exchange(ptr %{{.*}}, i32 16) [[CONVERGENT:#[0-9]+]]
; CHECK: [[LANE:%.*]] = call i32 @hm_thread_index_in_simdgroup()
; CHECK: call void @hm_matrix_multiply_accumulate(ptr [[FRAME]], i32 [[LANE]], float
; CHECK: store float
; CHECK: store float
; CHECK: ret void
; CHECK: attributes [[CONVERGENT]] = { convergent }
define void @k(ptr %in, ptr %out, i64 %stride) {
  %a = call <64 x half> @air.simdgroup_matrix_8x8_load.v64f16.p1f16(ptr %in, i64 %stride, <2 x i64> <i64 1, i64 2>, i1 true)
  %zero = call <64 x float> @air.simdgroup_matrix_8x8_init_filled.v64f32.f32(float 0.0)
  %c = call <64 x float> @air.simdgroup_matrix_8x8_multiply_accumulate.v64f32.v64f16.v64f16.v64f32(<64 x half> %a, <64 x half> %a, <64 x float> %zero)
  call void @air.simdgroup_matrix_8x8_store.v64f32.p1f32(<64 x float> %c, ptr %out, i64 8, <2 x i64> zeroinitializer, i1 true)
  ret void
}
declare <64 x half> @air.simdgroup_matrix_8x8_load.v64f16.p1f16(ptr, i64, <2 x i64>, i1)
declare <64 x float> @air.simdgroup_matrix_8x8_init_filled.v64f32.f32(float)
declare <64 x float> @air.simdgroup_matrix_8x8_multiply_accumulate.v64f32.v64f16.v64f16.v64f32(<64 x half>, <64 x half>, <64 x float>)
declare void @air.simdgroup_matrix_8x8_store.v64f32.p1f32(<64 x float>, ptr, i64, <2 x i64>, i1)

!air.kernel = !{!0}
!0 = !{ptr @k, !{}, !1}
!1 = !{!2, !3, !4}
!2 = !{i32 0, !"air.buffer", !"air.arg_name", !"in"}
!3 = !{i32 1, !"air.buffer", !"air.arg_name", !"out"}
!4 = !{i32 2, !"air.buffer", !"air.arg_name", !"stride"}

; CHECK: status 0
