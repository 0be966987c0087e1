; Of several minima between one round and the next, one is left, in twice the
; width.

; RUN: %leaf-opt -passes=sluice-shorten-chains -S %s | FileCheck %s

; CHECK-LABEL: @two(
; CHECK: %v{{.*}} = phi i64
; CHECK: [[LIMIT:%.*]] = call i64 @llvm.smin.i64(
; CHECK: [[SUM:%.*]] = add nsw i64 %v{{.*}}, 1
; CHECK: call i64 @llvm.smin.i64(i64 [[SUM]], i64 [[LIMIT]])
define i32 @two(ptr %in, i32 %c, i64 %n) {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %instances ]
  %v = phi i32 [ 0, %entry ], [ %last, %instances ]
  %place = getelementptr i32, ptr %in, i64 %i
  %x = load i32, ptr %place
  %a = call i32 @llvm.smin.i32(i32 %v, i32 %x)
  %b = add nsw i32 %a, 1
  %last = call i32 @llvm.smin.i32(i32 %b, i32 %c)
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit
exit:
  ret i32 %last
}

; Not where sums may wrap around.
; CHECK-LABEL: @wraps(
; CHECK-NOT: i64 @llvm.smin
; CHECK: ret
define i32 @wraps(ptr %in, i32 %c, i64 %n) {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %instances ]
  %v = phi i32 [ 0, %entry ], [ %last, %instances ]
  %place = getelementptr i32, ptr %in, i64 %i
  %x = load i32, ptr %place
  %a = call i32 @llvm.smin.i32(i32 %v, i32 %x)
  %b = add i32 %a, 1
  %last = call i32 @llvm.smin.i32(i32 %b, i32 %c)
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit
exit:
  ret i32 %last
}

declare i32 @llvm.smin.i32(i32, i32)
