; Rounds of a leaf's own loop run as lanes of a vector, where they do not meet in
; memory.

; RUN: %leaf-opt -passes='sluice-vectorize-lanes<own-lanes=8>' -S %s | FileCheck %s
; RUN: %leaf-opt -passes='sluice-vectorize-lanes<own-lanes=8>' -disable-output -pass-remarks=sluice %s 2>&1 | FileCheck %s --check-prefix=REMARK
; RUN: %leaf-opt -passes=sluice-vectorize-lanes -S %s | FileCheck %s --check-prefix=CHOICE

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; Columns of a product of matrices. The pointers may lead to the same array, which
; is found out for each row.
; CHECK-LABEL: @product(
; CHECK: %[[APART:.*]] = sub i64
; CHECK: icmp ult i64 %[[APART]]
; CHECK: br i1 {{.*}}, label %lanes.preheader, label %lanes.rest
; CHECK: load <8 x float>
; CHECK: fmul <8 x float>
; CHECK: store <8 x float>
; CHECK: masked.store.v8f32
; CHECK: lanes.scalar:
; CHECK: ret void

; Of its own choice, the pass makes lanes of columns, whose elements lie side by
; side, and if there are few columns, of rows.
; CHOICE-LABEL: @product(
; CHOICE: br i1 {{.*}}, label %{{.*}}.short
; CHOICE-DAG: store <16 x float>
; CHOICE-DAG: masked.gather.v16f32
; CHOICE: ret void
; REMARK: 8 rounds of this loop run as lanes of a vector
define void @product(ptr %a, ptr %b, ptr %c, i64 %n, i32 %size) "target-cpu"="x86-64-v3" {
entry:
  %m = zext i32 %size to i64
  %some = icmp ne i32 %size, 0
  br i1 %some, label %instances, label %exit
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %row = mul i64 %i, %m
  %a.row = getelementptr float, ptr %a, i64 %row
  %c.row = getelementptr float, ptr %c, i64 %row
  br label %columns
columns:
  %j = phi i64 [ 0, %instances ], [ %j.next, %columns.latch ]
  %column = getelementptr float, ptr %b, i64 %j
  br label %inner
inner:
  %k = phi i64 [ 0, %columns ], [ %k.next, %inner ]
  %sum = phi float [ 0.0, %columns ], [ %added, %inner ]
  %a.place = getelementptr float, ptr %a.row, i64 %k
  %x = load float, ptr %a.place, !llvm.access.group !4
  %down = mul nuw nsw i64 %k, %m
  %b.place = getelementptr float, ptr %column, i64 %down
  %y = load float, ptr %b.place, !llvm.access.group !4
  %product = fmul float %x, %y
  %added = fadd float %sum, %product
  %k.next = add nuw nsw i64 %k, 1
  %k.more = icmp ult i64 %k.next, %m
  br i1 %k.more, label %inner, label %columns.latch
columns.latch:
  %c.place = getelementptr float, ptr %c.row, i64 %j
  store float %added, ptr %c.place, !llvm.access.group !4
  %j.next = add nuw nsw i64 %j, 1
  %j.more = icmp ult i64 %j.next, %m
  br i1 %j.more, label %columns, label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !0
exit:
  ret void
}

; No lanes where a round reads what the one before it has written,
; CHECK-LABEL: @flow(
; CHECK-NOT: <8 x
; CHECK: ret void
define void @flow(ptr noalias %c, i64 %n, i64 %m) "target-cpu"="x86-64-v3" {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %row = mul i64 %i, %m
  %c.row = getelementptr float, ptr %c, i64 %row
  br label %columns
columns:
  %j = phi i64 [ 1, %instances ], [ %j.next, %columns.latch ]
  %before = add nsw i64 %j, -1
  %c.before = getelementptr float, ptr %c.row, i64 %before
  %x = load float, ptr %c.before, !llvm.access.group !4
  br label %inner
inner:
  %k = phi i64 [ 0, %columns ], [ %k.next, %inner ]
  %sum = phi float [ %x, %columns ], [ %added, %inner ]
  %added = fmul float %sum, 3.0
  %k.next = add nuw nsw i64 %k, 1
  %k.more = icmp ult i64 %k.next, %m
  br i1 %k.more, label %inner, label %columns.latch
columns.latch:
  %c.place = getelementptr float, ptr %c.row, i64 %j
  store float %added, ptr %c.place, !llvm.access.group !4
  %j.next = add nuw nsw i64 %j, 1
  %j.more = icmp ult i64 %j.next, %m
  br i1 %j.more, label %columns, label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !0
exit:
  ret void
}

; where all rounds write to one place,
; CHECK-LABEL: @last(
; CHECK-NOT: <8 x
; CHECK: ret void
define void @last(ptr noalias %a, ptr noalias %c, i64 %n, i64 %m) "target-cpu"="x86-64-v3" {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %c.place = getelementptr float, ptr %c, i64 %i
  br label %columns
columns:
  %j = phi i64 [ 0, %instances ], [ %j.next, %columns.latch ]
  %a.place = getelementptr float, ptr %a, i64 %j
  %x = load float, ptr %a.place, !llvm.access.group !4
  br label %inner
inner:
  %k = phi i64 [ 0, %columns ], [ %k.next, %inner ]
  %sum = phi float [ %x, %columns ], [ %added, %inner ]
  %added = fmul float %sum, 3.0
  %k.next = add nuw nsw i64 %k, 1
  %k.more = icmp ult i64 %k.next, %m
  br i1 %k.more, label %inner, label %columns.latch
columns.latch:
  store float %added, ptr %c.place, !llvm.access.group !4
  %j.next = add nuw nsw i64 %j, 1
  %j.more = icmp ult i64 %j.next, %m
  br i1 %j.more, label %columns, label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !0
exit:
  ret void
}

; and where data say which places are read.
; CHECK-LABEL: @lookup(
; CHECK-NOT: <8 x
; CHECK: ret void
define void @lookup(ptr noalias %a, ptr noalias %c, i64 %n, i64 %m) "target-cpu"="x86-64-v3" {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %row = mul i64 %i, %m
  %c.row = getelementptr i64, ptr %c, i64 %row
  br label %columns
columns:
  %j = phi i64 [ 0, %instances ], [ %j.next, %columns.latch ]
  %a.place = getelementptr i64, ptr %a, i64 %j
  %x = load i64, ptr %a.place, !llvm.access.group !4
  %c.any = getelementptr i64, ptr %c.row, i64 %x
  %y = load i64, ptr %c.any, !llvm.access.group !4
  br label %inner
inner:
  %k = phi i64 [ 0, %columns ], [ %k.next, %inner ]
  %sum = phi i64 [ %y, %columns ], [ %added, %inner ]
  %added = mul i64 %sum, 3
  %k.next = add nuw nsw i64 %k, 1
  %k.more = icmp ult i64 %k.next, %x
  br i1 %k.more, label %inner, label %columns.latch
columns.latch:
  %c.place = getelementptr i64, ptr %c.row, i64 %j
  store i64 %added, ptr %c.place, !llvm.access.group !4
  %j.next = add nuw nsw i64 %j, 1
  %j.more = icmp ult i64 %j.next, %m
  br i1 %j.more, label %columns, label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !0
exit:
  ret void
}

!0 = distinct !{!0, !1, !2}
!1 = !{!"llvm.loop.parallel_accesses", !4}
!2 = !{!"sluice.instances"}
!4 = distinct !{}
