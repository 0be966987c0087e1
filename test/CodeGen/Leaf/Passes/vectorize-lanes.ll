; Instances with a loop run as lanes of a vector, which all go through the loop.

; RUN: %leaf-opt -passes='sluice-vectorize-lanes<lanes=8>' -S %s | FileCheck %s
; RUN: %leaf-opt -passes='sluice-vectorize-lanes<lanes=8>' -disable-output -pass-remarks=sluice -pass-remarks-missed=sluice %s 2>&1 | FileCheck %s --check-prefix=REMARK

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: @columns(
; CHECK: load <8 x float>
; CHECK: fadd <8 x float>
; CHECK: store <8 x float>
; CHECK: masked.load.v8f32
; CHECK: masked.store.v8f32
; CHECK: ret void
define void @columns(ptr noalias %in, ptr noalias %out, i64 %n, i64 %m) "target-cpu"="x86-64-v3" {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  br label %inner
inner:
  %k = phi i64 [ 0, %instances ], [ %k.next, %inner ]
  %sum = phi float [ 0.0, %instances ], [ %added, %inner ]
  %row = mul i64 %k, %n
  %index = add i64 %row, %i
  %from = getelementptr float, ptr %in, i64 %index
  %x = load float, ptr %from, !llvm.access.group !4
  %added = fadd float %sum, %x
  %k.next = add nuw nsw i64 %k, 1
  %k.more = icmp ult i64 %k.next, %m
  br i1 %k.more, label %inner, label %latch
latch:
  %place = getelementptr float, ptr %out, i64 %i
  store float %added, ptr %place, !llvm.access.group !4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !0
exit:
  ret void
}

; Lanes whose instances end their loops earlier wait for the others.
; CHECK-LABEL: @lengths(
; CHECK: phi <8 x i1>
; CHECK: select <8 x i1>
; CHECK: bitcast <8 x i1> {{.*}} to i8
; CHECK: ret void
define void @lengths(ptr noalias %in, ptr noalias %lengths, ptr noalias %out, i64 %n) "target-cpu"="x86-64-v3" {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %length.place = getelementptr i64, ptr %lengths, i64 %i
  %length = load i64, ptr %length.place, !llvm.access.group !4
  br label %inner
inner:
  %k = phi i64 [ 0, %instances ], [ %k.next, %inner ]
  %sum = phi float [ 0.0, %instances ], [ %added, %inner ]
  %row = mul i64 %k, %n
  %index = add i64 %row, %i
  %from = getelementptr float, ptr %in, i64 %index
  %x = load float, ptr %from, !llvm.access.group !4
  %added = fadd float %sum, %x
  %k.next = add nuw nsw i64 %k, 1
  %k.more = icmp ult i64 %k.next, %length
  br i1 %k.more, label %inner, label %latch
latch:
  %place = getelementptr float, ptr %out, i64 %i
  store float %added, ptr %place, !llvm.access.group !4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !0
exit:
  ret void
}

; Not with calls, with what is handed on from instance to instance, and with
; accesses that may meet; remarks say so.
; CHECK-LABEL: @calls(
; CHECK-NOT: <8 x
; CHECK: ret void
define void @calls(ptr noalias %in, ptr noalias %out, i64 %n, i64 %m) {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  br label %inner
inner:
  %k = phi i64 [ 0, %instances ], [ %k.next, %inner ]
  %sum = phi float [ 0.0, %instances ], [ %added, %inner ]
  %row = mul i64 %k, %n
  %index = add i64 %row, %i
  %from = getelementptr float, ptr %in, i64 %index
  %x = load float, ptr %from, !llvm.access.group !4
  %added = fadd float %sum, %x
  %k.next = add nuw nsw i64 %k, 1
  %k.more = icmp ult i64 %k.next, %m
  br i1 %k.more, label %inner, label %latch
latch:
  %place = getelementptr float, ptr %out, i64 %i
  store float %added, ptr %place, !llvm.access.group !4
  call void @other()
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !0
exit:
  ret void
}

; CHECK-LABEL: @handed(
; CHECK-NOT: <8 x
; CHECK: ret void
define void @handed(ptr noalias %in, ptr noalias %out, i64 %n, i64 %m) {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %carried = phi float [ 1.0, %entry ], [ %added, %latch ]
  br label %inner
inner:
  %k = phi i64 [ 0, %instances ], [ %k.next, %inner ]
  %sum = phi float [ 0.0, %instances ], [ %added, %inner ]
  %row = mul i64 %k, %n
  %index = add i64 %row, %i
  %from = getelementptr float, ptr %in, i64 %index
  %x = load float, ptr %from, !llvm.access.group !4
  %added = fadd float %sum, %carried
  %k.next = add nuw nsw i64 %k, 1
  %k.more = icmp ult i64 %k.next, %m
  br i1 %k.more, label %inner, label %latch
latch:
  %place = getelementptr float, ptr %out, i64 %i
  store float %added, ptr %place, !llvm.access.group !4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !0
exit:
  ret void
}

; CHECK-LABEL: @meet(
; CHECK-NOT: <8 x
; CHECK: ret void
define void @meet(ptr %in, ptr %out, i64 %n, i64 %m) {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  br label %inner
inner:
  %k = phi i64 [ 0, %instances ], [ %k.next, %inner ]
  %sum = phi float [ 0.0, %instances ], [ %added, %inner ]
  %row = mul i64 %k, %n
  %index = add i64 %row, %i
  %from = getelementptr float, ptr %in, i64 %index
  %x = load float, ptr %from, !llvm.access.group !4
  %added = fadd float %sum, %x
  %k.next = add nuw nsw i64 %k, 1
  %k.more = icmp ult i64 %k.next, %m
  br i1 %k.more, label %inner, label %latch
latch:
  %place = getelementptr float, ptr %out, i64 %i
  store float %added, ptr %place
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !0
exit:
  ret void
}

; Instances without a loop that load one of two elements: whole registers, of
; which the last one ends with the last element, and shuffles. No gathers.
; CHECK-LABEL: @fields(
; CHECK: lanes:
; CHECK: [[FIRST:%.*]] = getelementptr float, ptr [[PLACE:%.*]], i32 0
; CHECK: load <8 x float>, ptr [[FIRST]]
; CHECK: [[LAST:%.*]] = getelementptr float, ptr [[PLACE]], i32 7
; CHECK: load <8 x float>, ptr [[LAST]]
; CHECK: shufflevector <16 x float> {{.*}}, <8 x i32> <i32 0, i32 2, i32 4, i32 6, i32 9, i32 11, i32 13, i32 15>
; CHECK-NOT: masked.gather
; CHECK: lanes.rest:
; CHECK: ret void
define void @fields(ptr noalias %in, ptr noalias %out, i64 %n) "target-cpu"="x86-64-v3" {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %instances ]
  %from = getelementptr [2 x float], ptr %in, i64 %i
  %x = load float, ptr %from, !llvm.access.group !4
  %twice = fadd float %x, %x
  %place = getelementptr float, ptr %out, i64 %i
  store float %twice, ptr %place, !llvm.access.group !4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !0
exit:
  ret void
}

; LLVM makes vectors of loops that load both, or far apart.
; CHECK-LABEL: @both(
; CHECK-NOT: <8 x
; CHECK: ret void
define void @both(ptr noalias %in, ptr noalias %out, i64 %n) "target-cpu"="x86-64-v3" {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %instances ]
  %from = getelementptr [2 x float], ptr %in, i64 %i
  %second = getelementptr float, ptr %from, i64 1
  %x = load float, ptr %from, !llvm.access.group !4
  %y = load float, ptr %second, !llvm.access.group !4
  %sum = fadd float %x, %y
  %place = getelementptr float, ptr %out, i64 %i
  store float %sum, ptr %place, !llvm.access.group !4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !0
exit:
  ret void
}

; CHECK-LABEL: @apart(
; CHECK-NOT: <8 x
; CHECK: ret void
define void @apart(ptr noalias %in, ptr noalias %out, i64 %n) "target-cpu"="x86-64-v3" {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %instances ]
  %from = getelementptr [100 x float], ptr %in, i64 %i
  %x = load float, ptr %from, !llvm.access.group !4
  %twice = fadd float %x, %x
  %place = getelementptr float, ptr %out, i64 %i
  store float %twice, ptr %place, !llvm.access.group !4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !0
exit:
  ret void
}

declare void @other()

; REMARK: remark: {{.*}}8 instances run as lanes of a vector
; REMARK: remark: {{.*}}8 instances run as lanes of a vector
; REMARK: remark: {{.*}}instances do not run as lanes of a vector: the function 'other' has no form for vectors
; REMARK: remark: {{.*}}instances do not run as lanes of a vector: each instance uses a value of the one before it
; REMARK: remark: {{.*}}instances do not run as lanes of a vector: this access may meet one of another instance
; REMARK: remark: {{.*}}8 instances run as lanes of a vector
; REMARK-NOT: remark

!0 = distinct !{!0, !1, !2, !3}
!1 = !{!"llvm.loop.unroll.disable"}
!2 = !{!"sluice.instances"}
!3 = !{!"llvm.loop.parallel_accesses", !4}
!4 = distinct !{}
