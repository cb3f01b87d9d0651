; CHECK: error: The kernel "k" calls "again", which calls itself; Metal has no recursion.
; CHECK: status 1
define void @k() {
  call void @again()
  ret void
}
define internal void @again() {
  call void @again()
  ret void
}
!air.kernel = !{!0}
!0 = !{ptr @k, !{}, !{}}
