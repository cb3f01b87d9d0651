; Functions that call themselves, directly or through others, stay. What they call besides is inlined into them, and what
; promised that a call has no effect and comes back is gone. A call in the last place is a jump.

; CHECK: define void @k(
; CHECK: call float @again(float 1.000000e+00){{$}}
; CHECK: call float @there(
; CHECK-NOT: call float @last(
; CHECK: define internal float @again(float %x) #[[KEPT:[0-9]+]]
; CHECK-NOT: call float @step(
; CHECK: fadd float %{{.*}}, 1.0
; CHECK: call float @again(float %{{.*}}){{$}}
; CHECK: define internal float @there(float %x) #[[KEPT]]
; CHECK: call float @back(
; CHECK: define internal float @back(float %x) #[[KEPT]]
; CHECK: call float @there(
; CHECK-NOT: @step
; CHECK-NOT: @last
; CHECK: attributes #[[KEPT]] = { noinline "hm-recursive" }
define void @k(ptr %p) {
  %a = call float @again(float 1.0) memory(none) willreturn
  %b = call float @there(float %a)
  %c = call float @last(float %b)
  store float %c, ptr %p
  ret void
}
define internal float @again(float %x) alwaysinline memory(none) willreturn {
  %ends = fcmp ogt float %x, 10.0
  br i1 %ends, label %end, label %on
end:
  ret float %x
on:
  %y = call float @step(float %x)
  %a = call float @again(float %y) willreturn
  %b = fneg float %a
  ret float %b
}
define internal float @there(float %x) {
  %a = call float @back(float %x)
  ret float %a
}
define internal float @back(float %x) {
  %ends = fcmp ogt float %x, 10.0
  br i1 %ends, label %end, label %on
end:
  ret float %x
on:
  %a = call float @there(float 20.0)
  %b = fneg float %a
  ret float %b
}
define internal float @last(float %x) {
  %ends = fcmp ogt float %x, 10.0
  br i1 %ends, label %end, label %on
end:
  ret float %x
on:
  %y = fadd float %x, 3.0
  %a = call float @last(float %y)
  ret float %a
}
define internal float @step(float %x) {
  %y = fadd float %x, 1.0
  ret float %y
}

!air.kernel = !{!0}
!0 = !{ptr @k, !{}, !1}
!1 = !{!2}
!2 = !{i32 0, !"air.buffer", !"air.arg_name", !"p"}

; CHECK: status 0
