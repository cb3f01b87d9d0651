; A constant with a value becomes that value; one without stays a load that nothing can fold, and says no
; when it is asked whether it is defined.
; ARGS: --constant 1:float:0000803f

@given = internal externally_initialized constant float undef
@absent = internal externally_initialized constant float undef

; CHECK: @given.value = internal constant [4 x i8] c"\00\00\80?"
; CHECK: define void @k(
; CHECK: load float, ptr @given.value
; CHECK-NEXT: load float, ptr @absent
; CHECK-NEXT: select i1 true, float %a, float 0.0
; CHECK-NEXT: select i1 false, float %b, float 0.0
define void @k(ptr %out) {
  %a = load float, ptr @given
  %b = load float, ptr @absent
  %has_a = call i1 @air.is_function_constant_defined(ptr @given)
  %has_b = call i1 @air.is_function_constant_defined(ptr @absent)
  %x = select i1 %has_a, float %a, float 0.0
  %y = select i1 %has_b, float %b, float 0.0
  %sum = fadd float %x, %y
  store float %sum, ptr %out
  ret void
}
declare i1 @air.is_function_constant_defined(ptr)

!air.function_constants = !{!3, !4}
!3 = !{ptr @given, !"float", !"given", i32 1, i1 true}
!4 = !{ptr @absent, !"float", !"absent", i32 2, i1 false}
!air.kernel = !{!0}
!0 = !{ptr @k, !{}, !1}
!1 = !{!2}
!2 = !{i32 0, !"air.buffer", !"air.arg_name", !"out"}

; CHECK: status 0
