; Variables are aligned to the widest vectors that access them.

; RUN: %leaf-opt -passes=sluice-align-arrays -S %s | FileCheck %s

; CHECK-LABEL: @array(
; CHECK: %sums = alloca [512 x float], align 64
; CHECK: %halves = alloca [512 x half], align 32
; CHECK: %wide = alloca [64 x float], align 64
; CHECK: %aligned = alloca [512 x float], align 128
define void @array(ptr %p, i64 %n) {
entry:
  %sums = alloca [512 x float], align 16
  %halves = alloca [512 x half], align 16
  %wide = alloca [64 x float], align 16
  %aligned = alloca [512 x float], align 128
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %place = getelementptr inbounds float, ptr %sums, i64 %i
  %sum = load <16 x float>, ptr %place, align 4
  store <16 x float> %sum, ptr %p, align 4
  %half.place = getelementptr half, ptr %halves, i64 %i
  %half.place.2 = getelementptr half, ptr %half.place, i64 16
  store <16 x half> zeroinitializer, ptr %half.place.2, align 2
  store <32 x float> zeroinitializer, ptr %wide, align 4
  store <16 x float> zeroinitializer, ptr %aligned, align 4
  %i.next = add i64 %i, 16
  %more = icmp ult i64 %i.next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; Not variables that one vector fills, nor those that only scalars access, nor
; those whose size is not known.
; CHECK-LABEL: @others(
; CHECK: %one = alloca <16 x float>, align 16
; CHECK: %scalars = alloca [512 x float], align 16
; CHECK: %dynamic = alloca float, i64 %n, align 16
define void @others(i64 %n) {
  %one = alloca <16 x float>, align 16
  %scalars = alloca [512 x float], align 16
  %dynamic = alloca float, i64 %n, align 16
  store <16 x float> zeroinitializer, ptr %one, align 16
  store float 0.0, ptr %scalars, align 4
  store <16 x float> zeroinitializer, ptr %dynamic, align 4
  ret void
}
