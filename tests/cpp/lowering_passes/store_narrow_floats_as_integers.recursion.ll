; Recursive functions take and return bits, too.

; CHECK: define void @k(
; CHECK: call i16 @again(i16 {{.*}}, i1 true)
; CHECK: define internal noundef i16 @again(i16 noundef %x, i1 %test)
; CHECK: call i16 @again(i16 {{.*}}, i1 false)
; CHECK: phi i16
; CHECK: ret i16
define void @k(ptr %out) {
  %a = call bfloat @again(bfloat 0xR3F80, i1 true)
  store bfloat %a, ptr %out
  ret void
}
define internal noundef nofpclass(inf) bfloat @again(bfloat noundef nofpclass(nan) %x, i1 %test) "hm-recursive" {
entry:
  br i1 %test, label %on, label %end
on:
  %a = call bfloat @again(bfloat %x, i1 false)
  br label %end
end:
  %b = phi bfloat [ %x, %entry ], [ %a, %on ]
  ret bfloat %b
}

!air.kernel = !{!0}
!0 = !{ptr @k, !{}, !1}
!1 = !{!2}
!2 = !{i32 0, !"air.buffer", !"air.arg_name", !"out"}

; CHECK: status 0
