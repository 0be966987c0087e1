; A condition that a loop carries to its next turn is not the one of this turn:
; instance i writes element i + 1, which the next instance reads.
; RUN: not sluice check %s 2>&1 | FileCheck %s
; CHECK: error: 'work' reads argument 'data' of 'root' here, where another instance writes it at the same time: instances (1) and (0) meet
; RUN: sed 's/%%carried = phi/%%unused = phi/; s/br i1 %%carried/br i1 %%found/' %s > %t.ll
; RUN: sluice check %t.ll 2>&1 | FileCheck %s --check-prefix=FOUND
; FOUND-NOT: {{error|remark}}
; FOUND: proven free of races

define {} @work(ptr "hpvm.in" "hpvm.out" %data, i64 %bytes) {
entry:
  %node = call ptr @llvm.hpvm.getNode()
  %i = call i64 @llvm.hpvm.getNodeInstanceID.x(ptr %node)
  %own = getelementptr inbounds i64, ptr %data, i64 %i
  %value = load volatile i64, ptr %own
  br label %loop

loop:
  %k = phi i64 [ 0, %entry ], [ %next, %latch ]
  %carried = phi i1 [ false, %entry ], [ %found, %latch ]
  %found = icmp eq i64 %k, %i
  br i1 %carried, label %store, label %latch

store:
  %place = getelementptr inbounds i64, ptr %data, i64 %k
  store i64 %k, ptr %place
  br label %latch

latch:
  %next = add nuw nsw i64 %k, 1
  %more = icmp ult i64 %next, 9
  br i1 %more, label %loop, label %exit

exit:
  ret {} undef
}

define {} @root(ptr "hpvm.in" "hpvm.out" %data, i64 %bytes) {
  %a = call ptr @llvm.hpvm.createNode1D(ptr @work, i64 8)
  call void @llvm.hpvm.bind.input(ptr %a, i32 0, i32 0, i1 0)
  call void @llvm.hpvm.bind.input(ptr %a, i32 1, i32 1, i1 0)
  ret {} undef
}

declare ptr @llvm.hpvm.getNode()
declare i64 @llvm.hpvm.getNodeInstanceID.x(ptr)
declare ptr @llvm.hpvm.createNode1D(ptr, i64)
declare void @llvm.hpvm.bind.input(ptr, i32, i32, i1)
