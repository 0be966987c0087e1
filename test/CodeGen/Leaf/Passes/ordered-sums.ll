; A loop that computes much beside a sum in order may become a vector; one that
; mostly adds does not.

; RUN: %leaf-opt -passes=sluice-ordered-sums -S %s | FileCheck %s

; CHECK-LABEL: @much(
; CHECK: br i1 %more, {{.*}}label %exit{{$}}
define float @much(ptr %in, float %c, i64 %n) {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %instances ]
  %sum = phi float [ 0.0, %entry ], [ %added, %instances ]
  %place = getelementptr float, ptr %in, i64 %i
  %w0 = load float, ptr %place
  %w1 = fdiv float %w0, %c
  %w2 = fdiv float %w1, %c
  %added = fadd float %sum, %w2
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit
exit:
  ret float %added
}

; Rounds that add nothing add -0, as LLVM wants it.
; CHECK-LABEL: @some(
; CHECK: [[PART:%.*]] = select i1 %isMore, float %w2, float -0.000000e+00
; CHECK: fadd float %sum, [[PART]]
define float @some(ptr %in, float %c, i64 %n) {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %instances ]
  %sum = phi float [ 0.0, %entry ], [ %last, %instances ]
  %place = getelementptr float, ptr %in, i64 %i
  %w0 = load float, ptr %place
  %w1 = fdiv float %w0, %c
  %w2 = fdiv float %w1, %c
  %added = fadd float %sum, %w2
  %isMore = fcmp ogt float %w0, 1.0
  %last = select i1 %isMore, float %added, float %sum
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit
exit:
  ret float %last
}

; CHECK-LABEL: @little(
; CHECK: br i1 %more, {{.*}}, !llvm.loop [[LOOP:![0-9]+]]
; CHECK: [[LOOP]] = distinct !{[[LOOP]], [[NEVER:![0-9]+]]}
; CHECK: [[NEVER]] = !{!"llvm.loop.vectorize.enable", i32 0}
define float @little(ptr %in, i64 %n) {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %instances ]
  %sum = phi float [ 0.0, %entry ], [ %added, %instances ]
  %place = getelementptr float, ptr %in, i64 %i
  %x = load float, ptr %place
  %added = fadd float %sum, %x
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit
exit:
  ret float %added
}
