; A recursive function gets the address of the thread's own copy from its caller.

@derived = internal global i32 3, align 4

; CHECK: define void @k(ptr %out)
; CHECK-NEXT: [[OWN:%.*]] = alloca i32, align 4
; CHECK-NEXT: store i32 3, ptr [[OWN]]
; CHECK-NEXT: store i32 7, ptr [[OWN]]
; CHECK-NEXT: call fast float @again(float 1.000000e+00, ptr [[OWN]])
define void @k(ptr %out) {
  store i32 7, ptr @derived
  %a = call fast float @again(float 1.0)
  store float %a, ptr %out
  ret void
}
; CHECK: define internal float @again(float %x, ptr [[ITS:%.*]]) #[[SAME:[0-9]+]]
; CHECK-NEXT: load i32, ptr [[ITS]]
; CHECK: call float @again(float {{.*}}, ptr [[ITS]])
; CHECK: attributes #[[SAME]] = { nounwind "hm-recursive" }
define internal float @again(float %x) nounwind "hm-recursive" {
  %a = load i32, ptr @derived
  %f = uitofp i32 %a to float
  %y = fadd float %x, %f
  %b = call float @again(float %y)
  %c = fneg float %b
  ret float %c
}

!air.kernel = !{!0}
!0 = !{ptr @k, !{}, !1}
!1 = !{!2}
!2 = !{i32 0, !"air.buffer", !"air.arg_name", !"out"}

; CHECK: status 0
