; A scope that is declared in a loop over instances hides from LLVM's vectoriser
; the scopes that are declared before the loop.

; RUN: %leaf-opt -passes=sluice-drop-inner-scopes -S %s | FileCheck %s
; RUN: %leaf-opt -passes='sluice-drop-inner-scopes,loop-vectorize' \
; RUN:   -force-vector-width=4 -S %s | FileCheck %s --check-prefix=VECTOR

; CHECK-LABEL: @both(
; CHECK: call void @llvm.experimental.noalias.scope.decl(metadata [[OUTER:![0-9]+]])
; CHECK: instances:
; CHECK-NOT: noalias.scope.decl
; CHECK: load float, ptr %from, align 4, !noalias [[OUTER]]
; CHECK: store float %value, ptr %to, align 4, !alias.scope [[OUTER]]
; VECTOR-LABEL: @both(
; VECTOR-NOT: found.conflict
; VECTOR: store <4 x float>
define void @both(ptr %in, ptr %out, i64 %n) {
entry:
  call void @llvm.experimental.noalias.scope.decl(metadata !1)
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %instances ]
  call void @llvm.experimental.noalias.scope.decl(metadata !4)
  %from = getelementptr inbounds float, ptr %in, i64 %i
  %value = load float, ptr %from, align 4, !noalias !7
  %to = getelementptr inbounds float, ptr %out, i64 %i
  store float %value, ptr %to, align 4, !alias.scope !7
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !8
exit:
  ret void
}

; Scopes of the instance alone go, and those of ordinary loops stay.

; CHECK-LABEL: @inner(
; CHECK-NOT: alias
; CHECK: ret void
define void @inner(ptr %in, ptr %out, i64 %n) {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %instances ]
  call void @llvm.experimental.noalias.scope.decl(metadata !4)
  %from = getelementptr inbounds float, ptr %in, i64 %i
  %value = load float, ptr %from, align 4, !noalias !4
  %to = getelementptr inbounds float, ptr %out, i64 %i
  store float %value, ptr %to, align 4, !alias.scope !4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !8
exit:
  ret void
}

; CHECK-LABEL: @ordinary(
; CHECK: rounds:
; CHECK: noalias.scope.decl
; CHECK: !alias.scope
; CHECK: ret void
define void @ordinary(ptr %in, ptr %out, i64 %n) {
entry:
  br label %rounds
rounds:
  %i = phi i64 [ 0, %entry ], [ %next, %rounds ]
  call void @llvm.experimental.noalias.scope.decl(metadata !4)
  %from = getelementptr inbounds float, ptr %in, i64 %i
  %value = load float, ptr %from, align 4, !noalias !4
  %to = getelementptr inbounds float, ptr %out, i64 %i
  store float %value, ptr %to, align 4, !alias.scope !4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %rounds, label %exit
exit:
  ret void
}

declare void @llvm.experimental.noalias.scope.decl(metadata)

; The domain of a call before the loop, and that of a call in each instance.
!0 = distinct !{!0, !"outside"}
!1 = !{!2}
!2 = distinct !{!2, !0}
!3 = distinct !{!3, !"inside"}
!4 = !{!5}
!5 = distinct !{!5, !3}
!7 = !{!2, !5}
!8 = distinct !{!8, !9}
!9 = !{!"sluice.instances"}
