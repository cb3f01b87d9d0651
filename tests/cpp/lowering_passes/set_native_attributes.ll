; Functions with a body are compiled for one processor; declarations say nothing of it.

; CHECK: define void @k() [[DEFINED:#[0-9]+]] {
; CHECK: declare void @f(){{$}}
; CHECK: attributes [[DEFINED]] = { "no-trapping-math"="true" "target-cpu"="{{.+}}"
define void @k() {
  call void @f()
  ret void
}
declare void @f()

!air.kernel = !{!0}
!0 = !{ptr @k, !{}, !{}}

; CHECK: status 0
