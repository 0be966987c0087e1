; Intrinsics instead of C, and no debug information: messages name the nodes.
; RUN: not sluice check %s 2>&1 | FileCheck %s
; RUN: sed 's/void @llvm.hpvm.bind.input(ptr %%b, i32 1,/ptr @llvm.hpvm.createEdge(ptr %%a, ptr %%b, i1 1, i32 0,/' %s > %t.ll
; RUN: sluice check %t.ll 2>&1 | FileCheck %s --check-prefix=OTHER
; OTHER-NOT: {{error|remark}}
; OTHER: proven free of races

; CHECK: error: 'read' reads argument 'data' of 'root' here, and 'write' writes it, but no edge orders the two; add an edge from 'write' to 'read' [race]
; CHECK: note: 'write' writes it here

define { i64 } @write(ptr "hpvm.out" %data, i64 %bytes) {
  store i64 1, ptr %data
  %result = insertvalue { i64 } undef, i64 %bytes, 0
  ret { i64 } %result
}
define {} @read(ptr "hpvm.in" %data, i64 %bytes, ptr "hpvm.out" %to, i64 %n) {
  %value = load i64, ptr %data
  store i64 %value, ptr %to
  ret {} undef
}

define {} @root(ptr "hpvm.in" "hpvm.out" %data, i64 %bytes, ptr "hpvm.out" %to, i64 %n) {
  %a = call ptr @llvm.hpvm.createNode(ptr @write)
  %b = call ptr @llvm.hpvm.createNode(ptr @read)
  call void @llvm.hpvm.bind.input(ptr %a, i32 0, i32 0, i1 0)
  call void @llvm.hpvm.bind.input(ptr %a, i32 1, i32 1, i1 0)
  call void @llvm.hpvm.bind.input(ptr %b, i32 0, i32 0, i1 0)
  call void @llvm.hpvm.bind.input(ptr %b, i32 2, i32 2, i1 0)
  call void @llvm.hpvm.bind.input(ptr %b, i32 3, i32 3, i1 0)
  call void @llvm.hpvm.bind.input(ptr %b, i32 1, i32 1, i1 0)
  ret {} undef
}

declare ptr @llvm.hpvm.createNode(ptr)
declare ptr @llvm.hpvm.createEdge(ptr, ptr, i1, i32, i32, i1)
declare void @llvm.hpvm.bind.input(ptr, i32, i32, i1)
