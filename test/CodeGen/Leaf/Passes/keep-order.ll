; Where LLVM would move an access to its neighbour over one of the same place,
; it looks for dependences itself.

; RUN: %leaf-opt -passes=sluice-keep-order -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; The store to p[2i] would move behind the load, to that of p[2i+1].
; CHECK-LABEL: @reads(
; CHECK: br i1 %more{{.*}}!llvm.loop ![[READS:[0-9]+]]
define void @reads(ptr noalias %in, ptr noalias %records, i64 %n) {
entry:
  br label %rounds
rounds:
  %i = phi i64 [ 0, %entry ], [ %next, %end ]
  %in.place = getelementptr i32, ptr %in, i64 %i
  %x = load i32, ptr %in.place, !llvm.access.group !9
  %first = getelementptr { i32, i32 }, ptr %records, i64 %i
  %second = getelementptr i32, ptr %first, i64 1
  %is = icmp sgt i32 %x, 0
  br i1 %is, label %write, label %end
write:
  store i32 %x, ptr %first, !llvm.access.group !9
  br label %end
end:
  %y = load i32, ptr %first, !llvm.access.group !9
  store i32 %y, ptr %second, !llvm.access.group !9
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %rounds, label %exit, !llvm.loop !0
exit:
  ret void
}

; The load of the second field would move over a store to memory that may be the
; same.
; CHECK-LABEL: @others(
; CHECK: br i1 %more{{.*}}!llvm.loop ![[OTHERS:[0-9]+]]
define void @others(ptr %records, ptr %out, i64 %n) {
entry:
  br label %rounds
rounds:
  %i = phi i64 [ 0, %entry ], [ %next, %rounds ]
  %first = getelementptr { i32, i32 }, ptr %records, i64 %i
  %second = getelementptr i32, ptr %first, i64 1
  %out.place = getelementptr i32, ptr %out, i64 %i
  %x = load i32, ptr %first, !llvm.access.group !9
  store i32 %x, ptr %out.place, !llvm.access.group !9
  %y = load i32, ptr %second, !llvm.access.group !9
  %sum = add i32 %x, %y
  store i32 %sum, ptr %out.place, !llvm.access.group !9
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %rounds, label %exit, !llvm.loop !3
exit:
  ret void
}

; Loads before stores of the same fields stay where they are, and elements of
; rows are not combined.
; CHECK-LABEL: @held(
; CHECK: br i1 %more{{.*}}!llvm.loop ![[HELD:[0-9]+]]
; CHECK: br i1 %row.more{{.*}}!llvm.loop ![[ROW:[0-9]+]]
define void @held(ptr noalias %records, ptr %row, i64 %n) {
entry:
  br label %rounds
rounds:
  %i = phi i64 [ 0, %entry ], [ %next, %rounds ]
  %first = getelementptr { i32, i32 }, ptr %records, i64 %i
  %second = getelementptr i32, ptr %first, i64 1
  %x = load i32, ptr %first, !llvm.access.group !9
  %y = load i32, ptr %second, !llvm.access.group !9
  %sum = add i32 %x, %y
  store i32 %sum, ptr %first, !llvm.access.group !9
  %less = sub i32 %x, %y
  store i32 %less, ptr %second, !llvm.access.group !9
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %rounds, label %rest, !llvm.loop !5
rest:
  br label %elements
elements:
  %j = phi i64 [ 0, %rest ], [ %row.next, %row.end ]
  %place = getelementptr i32, ptr %row, i64 %j
  %a = load i32, ptr %place, !llvm.access.group !9
  %isSo = icmp sgt i32 %a, 0
  br i1 %isSo, label %row.write, label %row.end
row.write:
  store i32 1, ptr %place, !llvm.access.group !9
  br label %row.end
row.end:
  %b = load i32, ptr %place, !llvm.access.group !9
  %twice = mul i32 %b, 2
  store i32 %twice, ptr %place, !llvm.access.group !9
  %row.next = add nuw nsw i64 %j, 1
  %row.more = icmp ult i64 %row.next, %n
  br i1 %row.more, label %elements, label %exit, !llvm.loop !7
exit:
  ret void
}

; CHECK-NOT: parallel_accesses
; CHECK: ![[READS]] = distinct !{![[READS]]}
; CHECK: ![[OTHERS]] = distinct !{![[OTHERS]]}
; CHECK: ![[HELD]] = distinct !{![[HELD]], ![[#]]}
; CHECK-NEXT: !{!"llvm.loop.parallel_accesses", ![[#]]}
; CHECK: ![[ROW]] = distinct !{![[ROW]], ![[#]]}

!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.parallel_accesses", !9}
!3 = distinct !{!3, !4}
!4 = !{!"llvm.loop.parallel_accesses", !9}
!5 = distinct !{!5, !6}
!6 = !{!"llvm.loop.parallel_accesses", !9}
!7 = distinct !{!7, !8}
!8 = !{!"llvm.loop.parallel_accesses", !9}
!9 = distinct !{}
