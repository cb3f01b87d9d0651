; What another compiler said about code generation goes; so do promises that arguments do not overlap.

; CHECK: define void @k(ptr %a, ptr %b) [[ATTRIBUTES:#[0-9]+]] {
; CHECK-NEXT: load i32, ptr %a, align 4{{$}}
; CHECK-NEXT: store i32 %v, ptr %b, align 4{{$}}
; CHECK: attributes [[ATTRIBUTES]] = { convergent }
define void @k(ptr "air-buffer-no-alias" %a, ptr %b) #0 {
  %v = load i32, ptr %a, align 4, !alias.scope !4
  store i32 %v, ptr %b, align 4, !noalias !4
  ret void
}
attributes #0 = { convergent "frame-pointer"="all" "target-cpu"="air" }

; CHECK-NOT: !llvm.module.flags
!llvm.module.flags = !{!2}
!air.kernel = !{!0}
!0 = !{ptr @k, !{}, !1}
!1 = !{!6, !7}
!2 = !{i32 1, !"wchar_size", i32 4}
!3 = distinct !{!3}
!4 = !{!5}
!5 = distinct !{!5, !3}
!6 = !{i32 0, !"air.buffer", !"air.arg_name", !"a"}
!7 = !{i32 1, !"air.buffer", !"air.arg_name", !"b"}

; CHECK: status 0
