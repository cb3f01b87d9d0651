; One kernel, what it reaches, and its metadata; nothing else, and nothing else is visible.
; ARGS: --kernel wanted

; CHECK: @used = internal constant i32 7
; CHECK-NOT: @other
@used = constant i32 7
@other = constant i32 8

; CHECK: define void @wanted(ptr %out)
; CHECK: call i32 @helper()
define void @wanted(ptr %out) {
  %value = call i32 @helper()
  store i32 %value, ptr %out
  ret void
}

; CHECK-NOT: @unwanted
define void @unwanted(ptr %out) {
  %value = load i32, ptr @other
  store i32 %value, ptr %out
  ret void
}

; CHECK: define internal i32 @helper()
define i32 @helper() {
  %value = load i32, ptr @used
  ret i32 %value
}

; Annotations keep everything alive that they name.
; CHECK-NOT: @llvm.global.annotations
@text = private unnamed_addr constant [4 x i8] c"msl\00"
@llvm.global.annotations = appending global [1 x { ptr, ptr, ptr, i32, ptr }] [{ ptr, ptr, ptr, i32, ptr } { ptr @unwanted, ptr @text, ptr @text, i32 1, ptr null }], section "llvm.metadata"

; CHECK: !air.kernel = !{![[NODE:[0-9]+]]}
; CHECK: ![[NODE]] = !{ptr @wanted, 
!air.kernel = !{!0, !1}
!0 = !{ptr @unwanted, !{}, !2}
!1 = !{ptr @wanted, !{}, !2}
!2 = !{!3}
!3 = !{i32 0, !"air.buffer", !"air.location_index", i32 0, i32 1, !"air.read_write", !"air.address_space", i32 1, !"air.arg_type_size", i32 4, !"air.arg_type_name", !"uint", !"air.arg_name", !"out"}

; CHECK: status 0
