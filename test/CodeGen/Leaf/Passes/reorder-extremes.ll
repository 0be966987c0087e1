; A loop looks for greatest and smallest numbers in any order. If the order may
; decide about the sign of a zero, it runs once more as it was.

; RUN: %leaf-opt -passes=sluice-reorder-extremes -S %s | FileCheck %s

; CHECK-LABEL: @most(
; CHECK: rounds:
; CHECK: [[IS:%.*]] = fcmp ogt float %x, 0xFFF0000000000000
; CHECK: [[Y:%.*]] = select i1 [[IS]], float %x, float 0xFFF0000000000000
; CHECK: [[TEST:%.*]] = fcmp nnan nsz ogt float [[Y]], %most
; CHECK: select nnan nsz i1 [[TEST]], float [[Y]], float %most
; CHECK: looked:
; CHECK: fcmp uno float %first, %first
; CHECK: fcmp oeq float %next, 0.0
; CHECK: br i1 {{.*}}, label %again, label %exit
; CHECK: rounds.ordered:
; CHECK: fcmp ogt float
; CHECK: select i1
; CHECK: ret float
define float @most(ptr %in, i64 %n, float %first) {
entry:
  br label %rounds
rounds:
  %i = phi i64 [ 0, %entry ], [ %more, %rounds ]
  %most = phi float [ %first, %entry ], [ %next, %rounds ]
  %place = getelementptr float, ptr %in, i64 %i
  %x = load float, ptr %place
  %test = fcmp ogt float %x, %most
  %next = select i1 %test, float %x, float %most
  %more = add nuw nsw i64 %i, 1
  %end = icmp eq i64 %more, %n
  br i1 %end, label %exit, label %rounds
exit:
  ret float %next
}

; No number is -0: also a loop that stores may look in any order.
; CHECK-LABEL: @stores(
; CHECK: select nnan nsz i1
; CHECK-NOT: again
; CHECK: ret double
define double @stores(ptr noalias %in, ptr noalias %out, i64 %n) {
entry:
  br label %rounds
rounds:
  %i = phi i64 [ 0, %entry ], [ %more, %rounds ]
  %most = phi double [ 0.0, %entry ], [ %next, %rounds ]
  %place = getelementptr double, ptr %in, i64 %i
  %x = load double, ptr %place
  %size = call double @llvm.fabs.f64(double %x)
  %to = getelementptr double, ptr %out, i64 %i
  store double %size, ptr %to
  %keep = fcmp ule double %size, %most
  %next = select i1 %keep, double %most, double %size
  %more = add nuw nsw i64 %i, 1
  %end = icmp eq i64 %more, %n
  br i1 %end, label %exit, label %rounds
exit:
  ret double %next
}

; What the number began with, which may be anything, takes part after the loop.
; CHECK-LABEL: @storesFrom(
; CHECK: phi double [ 0xFFF0000000000000, %entry ], [ %next, %rounds ]
; CHECK: exit:
; CHECK: [[MOST:%.*]] = phi double [ %next, %rounds ]
; CHECK: [[IS:%.*]] = fcmp ogt double [[MOST]], %first
; CHECK: [[RESULT:%.*]] = select i1 [[IS]], double [[MOST]], double %first
; CHECK: ret double [[RESULT]]
define double @storesFrom(ptr noalias %in, ptr noalias %out, i64 %n, double %first) {
entry:
  br label %rounds
rounds:
  %i = phi i64 [ 0, %entry ], [ %more, %rounds ]
  %most = phi double [ %first, %entry ], [ %next, %rounds ]
  %place = getelementptr double, ptr %in, i64 %i
  %x = load double, ptr %place
  %size = call double @llvm.fabs.f64(double %x)
  %to = getelementptr double, ptr %out, i64 %i
  store double %size, ptr %to
  %test = fcmp olt double %most, %size
  %next = select i1 %test, double %size, double %most
  %more = add nuw nsw i64 %i, 1
  %end = icmp eq i64 %more, %n
  br i1 %end, label %exit, label %rounds
exit:
  ret double %next
}

; Only some rounds look.
; CHECK-LABEL: @some(
; CHECK: [[SURE:%.*]] = freeze i1 %isWanted
; CHECK: select i1 [[SURE]], float %x, float 0x7FF0000000000000
; CHECK: select nnan nsz i1
; CHECK: ret float
define float @some(ptr %in, i64 %n, float %c) {
entry:
  br label %rounds
rounds:
  %i = phi i64 [ 0, %entry ], [ %more, %rounds ]
  %least = phi float [ 1.0, %entry ], [ %next, %rounds ]
  %place = getelementptr float, ptr %in, i64 %i
  %x = load float, ptr %place
  %isWanted = fcmp ogt float %x, %c
  %isLess = fcmp olt float %x, %least
  %test = select i1 %isLess, i1 %isWanted, i1 false
  %next = select i1 %test, float %x, float %least
  %more = add nuw nsw i64 %i, 1
  %end = icmp eq i64 %more, %n
  br i1 %end, label %exit, label %rounds
exit:
  ret float %next
}

; Not if numbers may be -0 and the loop stores, not if NaN wins, and not if
; something else depends on who wins.
; CHECK-LABEL: @storesZeros(
; CHECK-NOT: nnan
; CHECK: ret float
define float @storesZeros(ptr noalias %in, ptr noalias %out, i64 %n) {
entry:
  br label %rounds
rounds:
  %i = phi i64 [ 0, %entry ], [ %more, %rounds ]
  %most = phi float [ 0.0, %entry ], [ %next, %rounds ]
  %place = getelementptr float, ptr %in, i64 %i
  %x = load float, ptr %place
  %to = getelementptr float, ptr %out, i64 %i
  store float %x, ptr %to
  %test = fcmp ogt float %x, %most
  %next = select i1 %test, float %x, float %most
  %more = add nuw nsw i64 %i, 1
  %end = icmp eq i64 %more, %n
  br i1 %end, label %exit, label %rounds
exit:
  ret float %next
}

; CHECK-LABEL: @nanWins(
; CHECK-NOT: nnan
; CHECK: ret float
define float @nanWins(ptr %in, i64 %n) {
entry:
  br label %rounds
rounds:
  %i = phi i64 [ 0, %entry ], [ %more, %rounds ]
  %most = phi float [ 0.0, %entry ], [ %next, %rounds ]
  %place = getelementptr float, ptr %in, i64 %i
  %x = load float, ptr %place
  %test = fcmp ogt float %most, %x
  %next = select i1 %test, float %most, float %x
  %more = add nuw nsw i64 %i, 1
  %end = icmp eq i64 %more, %n
  br i1 %end, label %exit, label %rounds
exit:
  ret float %next
}

; CHECK-LABEL: @place(
; CHECK-NOT: nnan
; CHECK: ret i64
define i64 @place(ptr %in, i64 %n) {
entry:
  br label %rounds
rounds:
  %i = phi i64 [ 0, %entry ], [ %more, %rounds ]
  %most = phi float [ 0.0, %entry ], [ %next, %rounds ]
  %where = phi i64 [ 0, %entry ], [ %there, %rounds ]
  %place = getelementptr float, ptr %in, i64 %i
  %x = load float, ptr %place
  %test = fcmp ogt float %x, %most
  %next = select i1 %test, float %x, float %most
  %there = select i1 %test, i64 %i, i64 %where
  %more = add nuw nsw i64 %i, 1
  %end = icmp eq i64 %more, %n
  br i1 %end, label %exit, label %rounds
exit:
  ret i64 %there
}

declare double @llvm.fabs.f64(double)
