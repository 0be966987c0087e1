; Loops over instances with variables in memory stay loops, also where they fill
; or copy.

; RUN: %leaf-opt -passes=sluice-keep-copying-loops -S %s | FileCheck %s

; CHECK: define {{.*}} @variable({{.*}} [[KEPT:#[0-9]+]] {
define void @variable(ptr %in, i64 %n) {
entry:
  %own = alloca [8 x i32]
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %instances ]
  %place = getelementptr i8, ptr %in, i64 %i
  store i8 0, ptr %place
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !0
exit:
  ret void
}

; So do those into which they are inlined.
; CHECK: define {{.*}} @caller({{.*}} [[KEPT]] {
define void @caller(ptr %in, i64 %n) {
  call void @variable(ptr %in, i64 %n)
  ret void
}

; CHECK: define {{.*}} @none({{[^#]*}} {
define void @none(ptr %in, i64 %n) {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %instances ]
  %place = getelementptr i8, ptr %in, i64 %i
  store i8 0, ptr %place
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !0
exit:
  ret void
}

; CHECK: attributes [[KEPT]] = { "no-builtin-memcpy" "no-builtin-memmove" "no-builtin-memset" }

!0 = distinct !{!0, !1, !2, !3}
!1 = !{!"llvm.loop.unroll.disable"}
!2 = !{!"sluice.instances"}
!3 = !{!"llvm.loop.parallel_accesses", !4}
!4 = distinct !{}
