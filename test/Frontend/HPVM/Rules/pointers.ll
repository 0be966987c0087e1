; Rules about pointers: H31 to H35.

; RUN: split-file --leading-lines %s %t
; RUN: cat %t/no-size.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=NO-SIZE --implicit-check-not=error:
; RUN: cat %t/last-pointer.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=LAST-POINTER --implicit-check-not=error:
; RUN: cat %t/no-access.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=NO-ACCESS --implicit-check-not=error:
; RUN: cat %t/access-of-number.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=ACCESS-OF-NUMBER --implicit-check-not=error:
; RUN: cat %t/pointer-on-edge.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=POINTER-ON-EDGE --implicit-check-not=error:
; RUN: cat %t/pointer-of-global.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=POINTER-OF-GLOBAL --implicit-check-not=error:
; RUN: cat %t/pointer-through-hierarchy.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=POINTER-THROUGH-HIERARCHY --implicit-check-not=error:
; RUN: cat %t/pointer-in-struct.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=POINTER-IN-STRUCT --implicit-check-not=error:
; RUN: cat %t/root-returns-pointer.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=ROOT-RETURNS-POINTER --implicit-check-not=error:
; RUN: cat %t/output-without-size.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=OUTPUT-WITHOUT-SIZE --implicit-check-not=error:

;--- no-size.ll
; NO-SIZE: :[[@LINE+1]]: error: input 0 'data' of 'work' is a pointer and must be followed by its size in bytes as i64, but it is followed by i32; add the size as the next parameter [H31]
define {} @work(ptr "hpvm.in" %data, i32 %count) {
  ret {} undef
}
; NO-SIZE: :[[@LINE+1]]: error: input 0 'data' of 'root' is a pointer and must be followed by {{.*}} [H31]
define {} @root(ptr "hpvm.in" %data, i32 %count) {
  %a = call ptr @llvm.hpvm.createNode(ptr @work)
  call void @llvm.hpvm.bind.input(ptr %a, i32 0, i32 0, i1 0)
  call void @llvm.hpvm.bind.input(ptr %a, i32 1, i32 1, i1 0)
  ret {} undef
}

;--- last-pointer.ll
; LAST-POINTER: :[[@LINE+1]]: error: input 1 'data' of 'work' is a pointer and must be followed by its size in bytes as i64, but it is the last one; {{.*}} [H31]
define {} @work(i64 %n, ptr "hpvm.in" %data) {
  ret {} undef
}
define {} @root(i64 %n, ptr "hpvm.in" %data, i64 %bytes) {
  %a = call ptr @llvm.hpvm.createNode(ptr @work)
  call void @llvm.hpvm.bind.input(ptr %a, i32 0, i32 0, i1 0)
  call void @llvm.hpvm.bind.input(ptr %a, i32 1, i32 1, i1 0)
  ret {} undef
}

;--- no-access.ll
; NO-ACCESS: :[[@LINE+1]]: error: input 0 'data' of 'work' is a pointer without in or out; say how it is used: in for reading, out for writing, or both [H32]
define {} @work(ptr %data, i64 %bytes) {
  ret {} undef
}
define {} @root(ptr "hpvm.in" %data, i64 %bytes) {
  %a = call ptr @llvm.hpvm.createNode(ptr @work)
  call void @llvm.hpvm.bind.input(ptr %a, i32 0, i32 0, i1 0)
  call void @llvm.hpvm.bind.input(ptr %a, i32 1, i32 1, i1 0)
  ret {} undef
}

;--- access-of-number.ll
; ACCESS-OF-NUMBER: :[[@LINE+1]]: error: input 0 'count' of 'work' is marked in or out, but has type i64; only pointers are, so remove the mark [H32]
define {} @work(i64 "hpvm.in" %count) {
  ret {} undef
}
define {} @root(i64 %count) {
  %a = call ptr @llvm.hpvm.createNode(ptr @work)
  call void @llvm.hpvm.bind.input(ptr %a, i32 0, i32 0, i1 0)
  ret {} undef
}

;--- pointer-on-edge.ll
define { ptr, i64 } @first(ptr "hpvm.in" %data, i64 %bytes) {
  %a = insertvalue { ptr, i64 } undef, ptr %data, 0
  %b = insertvalue { ptr, i64 } %a, i64 %bytes, 1
  ret { ptr, i64 } %b
}
define {} @second(ptr "hpvm.in" %data, i64 %bytes) {
  ret {} undef
}
define {} @root(ptr "hpvm.in" %data, i64 %bytes) {
  %a = call ptr @llvm.hpvm.createNode(ptr @first)
  %b = call ptr @llvm.hpvm.createNode(ptr @second)
  call void @llvm.hpvm.bind.input(ptr %a, i32 0, i32 0, i1 0)
  call void @llvm.hpvm.bind.input(ptr %a, i32 1, i32 1, i1 0)
; POINTER-ON-EDGE: :[[@LINE+1]]:{{.*}}: error: this edge carries the pointer output 0 of 'first', but only memory from a leaf's own 'malloc' may travel so; bind the pointer from the common parent instead [H33]
  call ptr @llvm.hpvm.createEdge(ptr %a, ptr %b, i1 1, i32 0, i32 0, i1 0)
; POINTER-ON-EDGE: :[[@LINE-4]]:{{.*}}: note: the pointer is input 0 'data' of 'root', which the host passes
  call ptr @llvm.hpvm.createEdge(ptr %a, ptr %b, i1 1, i32 1, i32 1, i1 0)
  ret {} undef
}

;--- pointer-of-global.ll
@table = global [8 x i64] zeroinitializer
define { ptr, i64 } @first() {
  ret { ptr, i64 } { ptr @table, i64 64 }
}
define {} @second(ptr "hpvm.in" %data, i64 %bytes) {
  ret {} undef
}
define {} @root() {
  %a = call ptr @llvm.hpvm.createNode(ptr @first)
  %b = call ptr @llvm.hpvm.createNode(ptr @second)
; POINTER-OF-GLOBAL: :[[@LINE+1]]:{{.*}}: error: this edge carries the pointer output 0 of 'first', {{.*}} [H33]
  call ptr @llvm.hpvm.createEdge(ptr %a, ptr %b, i1 1, i32 0, i32 0, i1 0)
; POINTER-OF-GLOBAL: :[[@LINE-11]]: note: 'first' may return 'table', which is not provably what its own 'malloc' gave
  call ptr @llvm.hpvm.createEdge(ptr %a, ptr %b, i1 1, i32 1, i32 1, i1 0)
  ret {} undef
}

;--- pointer-through-hierarchy.ll
; A pointer of the host comes out of a nested graph, and goes on along an edge.
define { ptr, i64 } @pass(ptr "hpvm.in" %data, i64 %bytes) {
  %a = insertvalue { ptr, i64 } undef, ptr %data, 0
  %b = insertvalue { ptr, i64 } %a, i64 %bytes, 1
  ret { ptr, i64 } %b
}
define { ptr, i64 } @middle(ptr "hpvm.in" %data, i64 %bytes) {
  %a = call ptr @llvm.hpvm.createNode(ptr @pass)
  call void @llvm.hpvm.bind.input(ptr %a, i32 0, i32 0, i1 0)
  call void @llvm.hpvm.bind.input(ptr %a, i32 1, i32 1, i1 0)
; POINTER-THROUGH-HIERARCHY: :[[@LINE+1]]:{{.*}}: error: this output bind carries the pointer output 0 of 'pass', {{.*}} [H33]
  call void @llvm.hpvm.bind.output(ptr %a, i32 0, i32 0, i1 0)
  call void @llvm.hpvm.bind.output(ptr %a, i32 1, i32 1, i1 0)
  ret { ptr, i64 } undef
}
define {} @take(ptr "hpvm.in" %data, i64 %bytes) {
  ret {} undef
}
define {} @root(ptr "hpvm.in" %data, i64 %bytes) {
  %a = call ptr @llvm.hpvm.createNode(ptr @middle)
  %b = call ptr @llvm.hpvm.createNode(ptr @take)
  call void @llvm.hpvm.bind.input(ptr %a, i32 0, i32 0, i1 0)
  call void @llvm.hpvm.bind.input(ptr %a, i32 1, i32 1, i1 0)
; POINTER-THROUGH-HIERARCHY: :[[@LINE+1]]:{{.*}}: error: this edge carries the pointer output 0 of 'middle', {{.*}} [H33]
  call ptr @llvm.hpvm.createEdge(ptr %a, ptr %b, i1 1, i32 0, i32 0, i1 0)
; POINTER-THROUGH-HIERARCHY: :[[@LINE-4]]:{{.*}}: note: the pointer is input 0 'data' of 'root', which the host passes
  call ptr @llvm.hpvm.createEdge(ptr %a, ptr %b, i1 1, i32 1, i32 1, i1 0)
  ret {} undef
}

;--- pointer-in-struct.ll
%object = type { ptr, i64 }
; POINTER-IN-STRUCT: :[[@LINE+1]]: error: output 0 of 'first' has type %object, which holds a pointer; return the pointer as an output of its own, followed by its size [H34]
define { %object } @first() {
  ret { %object } zeroinitializer
}
; POINTER-IN-STRUCT: :[[@LINE+1]]: error: input 0 'value' of 'second' has type %object, which holds a pointer; pass the pointer as an argument of its own, followed by its size [H34]
define {} @second(%object %value) {
  ret {} undef
}
define {} @root() {
  %a = call ptr @llvm.hpvm.createNode(ptr @first)
  %b = call ptr @llvm.hpvm.createNode(ptr @second)
  call ptr @llvm.hpvm.createEdge(ptr %a, ptr %b, i1 1, i32 0, i32 0, i1 0)
  ret {} undef
}

;--- root-returns-pointer.ll
define { ptr, i64 } @make() {
  %p = call ptr @llvm.hpvm.malloc(i64 64)
  %a = insertvalue { ptr, i64 } undef, ptr %p, 0
  %b = insertvalue { ptr, i64 } %a, i64 64, 1
  ret { ptr, i64 } %b
}
; ROOT-RETURNS-POINTER: :[[@LINE+1]]: error: output 0 of 'root' has type ptr, but a root returns no pointers: memory that leaves allocate ends with the launch; let the host allocate it and pass it as an argument [H35]
define { ptr, i64 } @root() {
  %a = call ptr @llvm.hpvm.createNode(ptr @make)
  call void @llvm.hpvm.bind.output(ptr %a, i32 0, i32 0, i1 0)
  call void @llvm.hpvm.bind.output(ptr %a, i32 1, i32 1, i1 0)
  ret { ptr, i64 } undef
}

;--- output-without-size.ll
; OUTPUT-WITHOUT-SIZE: :[[@LINE+1]]: error: output 0 of 'make' is a pointer and must be followed by its size in bytes as i64, but it is the last one; return the size as the next output [H31]
define { ptr } @make() {
  %p = call ptr @llvm.hpvm.malloc(i64 64)
  %a = insertvalue { ptr } undef, ptr %p, 0
  ret { ptr } %a
}
define {} @root() {
  %a = call ptr @llvm.hpvm.createNode(ptr @make)
  ret {} undef
}
