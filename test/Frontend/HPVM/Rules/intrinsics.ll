; Rules about the intrinsics themselves: H11, H25 and H26.

; RUN: split-file --leading-lines %s %t
; RUN: cat %t/four-dimensions.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=FOUR-DIMENSIONS --implicit-check-not=error:
; RUN: cat %t/misspelt.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=MISSPELT --implicit-check-not=error:
; RUN: cat %t/unknown.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=UNKNOWN --implicit-check-not=error:
; RUN: cat %t/wrong-type.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=WRONG-TYPE --implicit-check-not=error:
; RUN: cat %t/tensor.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=TENSOR --implicit-check-not=error:

;--- four-dimensions.ll
declare ptr @llvm.hpvm.createNode4D(ptr, i64, i64, i64, i64)
define {} @work() {
  ret {} undef
}
define {} @root() {
; FOUR-DIMENSIONS: :[[@LINE+1]]:{{.*}}: error: a node has at most 3 dimensions, but this one has 4; fold dimensions into one extent, or replicate the parent node [H11]
  call ptr @llvm.hpvm.createNode4D(ptr @work, i64 2, i64 2, i64 2, i64 2)
  call ptr @llvm.hpvm.createNode(ptr @work)
  ret {} undef
}

;--- misspelt.ll
declare ptr @llvm.hpvm.createnode(ptr)
define {} @work() {
  ret {} undef
}
define {} @root() {
; MISSPELT: :[[@LINE+1]]:{{.*}}: error: HPVM has no intrinsic 'llvm.hpvm.createnode'; did you mean 'llvm.hpvm.createNode' [H25]
  call ptr @llvm.hpvm.createnode(ptr @work)
  ret {} undef
}

;--- unknown.ll
declare i32 @llvm.hpvm.getVectorLength()
define {} @work() {
; UNKNOWN: :[[@LINE+1]]:{{.*}}: error: HPVM has no intrinsic 'llvm.hpvm.getVectorLength'; see the table of intrinsics in docs/hpvm-rules.md [H25]
  call i32 @llvm.hpvm.getVectorLength()
  ret {} undef
}
define {} @root() {
  call ptr @llvm.hpvm.createNode(ptr @work)
  ret {} undef
}

;--- wrong-type.ll
declare i64 @llvm.hpvm.atomic.sub(ptr, i64)
define {} @work(ptr "hpvm.out" %count, i64 %bytes) {
; WRONG-TYPE: :[[@LINE+1]]:{{.*}}: error: 'llvm.hpvm.atomic.sub' is declared with the type i64 (ptr, i64), but its type is i32 (ptr, i32) [H25]
  call i64 @llvm.hpvm.atomic.sub(ptr %count, i64 1)
  ret {} undef
}
define {} @root(ptr "hpvm.out" %count, i64 %bytes) {
  %a = call ptr @llvm.hpvm.createNode(ptr @work)
  call void @llvm.hpvm.bind.input(ptr %a, i32 0, i32 0, i1 0)
  call void @llvm.hpvm.bind.input(ptr %a, i32 1, i32 1, i1 0)
  ret {} undef
}

;--- tensor.ll
declare ptr @llvm.hpvm.tensor.add(ptr, ptr)
define {} @work(ptr "hpvm.in" %a, i64 %bytes) {
; TENSOR: :[[@LINE+1]]:{{.*}}: error: 'llvm.hpvm.tensor.add' is a tensor operation of ApproxHPVM, which is not supported; write the operation as a leaf [H26]
  call ptr @llvm.hpvm.tensor.add(ptr %a, ptr %a)
  ret {} undef
}
define {} @root(ptr "hpvm.in" %a, i64 %bytes) {
  %node = call ptr @llvm.hpvm.createNode(ptr @work)
  call void @llvm.hpvm.bind.input(ptr %node, i32 0, i32 0, i1 0)
  call void @llvm.hpvm.bind.input(ptr %node, i32 1, i32 1, i1 0)
  ret {} undef
}
