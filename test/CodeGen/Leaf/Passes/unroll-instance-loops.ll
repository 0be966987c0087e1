; LLVM unrolls a loop only if its number of rounds is cheap to compute. The
; bounds of a chunk of instances are not, but they are computed once for all of
; its rounds.

; RUN: %leaf-opt -passes=sluice-unroll-instance-loops -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: @chunks(
; CHECK: br i1 %more, label %instances, label %done, !llvm.loop [[COSTLY:![0-9]+]]
define void @chunks(ptr %bins, ptr %values, i64 %begin, i64 %end, i64 %units) #0 {
entry:
  br label %chunk
chunk:
  %c = phi i64 [ %begin, %entry ], [ %c.next, %next ]
  %first = mul nuw nsw i64 %c, %units
  %sum = add nuw nsw i64 %first, %units
  %last = call i64 @llvm.umin.i64(i64 %sum, i64 100000)
  %some = icmp ult i64 %first, %last
  br i1 %some, label %start, label %next
start:
  br label %instances
instances:
  %i = phi i64 [ %first, %start ], [ %i.next, %instances ]
  %from = getelementptr inbounds i8, ptr %values, i64 %i
  %value = load i8, ptr %from
  %wide = zext i8 %value to i64
  %bin = getelementptr inbounds i32, ptr %bins, i64 %wide
  %old = load i32, ptr %bin
  %new = add i32 %old, 1
  store i32 %new, ptr %bin
  %i.next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %i.next, %last
  br i1 %more, label %instances, label %done, !llvm.loop !0
done:
  br label %next
next:
  %c.next = add nuw nsw i64 %c, 1
  %again = icmp ult i64 %c.next, %end
  br i1 %again, label %chunk, label %exit
exit:
  ret void
}

; LLVM itself unrolls this one.
; CHECK-LABEL: @cheap(
; CHECK: br i1 %more, label %instances, label %exit, !llvm.loop [[CHEAP:![0-9]+]]
define void @cheap(ptr %bins, ptr %values, i64 %end) #0 {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %i.next, %instances ]
  %from = getelementptr inbounds i8, ptr %values, i64 %i
  %value = load i8, ptr %from
  %wide = zext i8 %value to i64
  %bin = getelementptr inbounds i32, ptr %bins, i64 %wide
  %old = load i32, ptr %bin
  %new = add i32 %old, 1
  store i32 %new, ptr %bin
  %i.next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %i.next, %end
  br i1 %more, label %instances, label %exit, !llvm.loop !3
exit:
  ret void
}

declare i64 @llvm.umin.i64(i64, i64)

; CHECK: [[COSTLY]] = distinct !{[[COSTLY]], {{.*}}[[COUNT:![0-9]+]]}
; CHECK: [[COUNT]] = !{!"llvm.loop.unroll.count", i32 {{[248]}}}
; CHECK: [[CHEAP]] = distinct !{[[CHEAP]], [[MARK:![0-9]+]]}
; CHECK-NOT: unroll

attributes #0 = { "target-cpu"="znver4" }

!0 = distinct !{!0, !1}
!1 = !{!"sluice.instances"}
!3 = distinct !{!3, !1}
