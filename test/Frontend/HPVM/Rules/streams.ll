; Rules about streams inside graphs: H46.

; RUN: split-file --leading-lines %s %t
; RUN: cat %t/two-ways.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=TWO-WAYS --implicit-check-not=error:
; RUN: cat %t/stream-below-value.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=STREAM-BELOW-VALUE --implicit-check-not=error:
; RUN: cat %t/stream-without-root.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=STREAM-WITHOUT-ROOT --implicit-check-not=error:

;--- two-ways.ll
define {} @work(i32 %value) {
  ret {} undef
}
define {} @root(i32 %value) {
  %a = call ptr @llvm.hpvm.createNode(ptr @work)
  %b = call ptr @llvm.hpvm.createNode(ptr @work)
  call void @llvm.hpvm.bind.input(ptr %a, i32 0, i32 0, i1 1)
; TWO-WAYS: :[[@LINE+1]]:{{.*}}: error: input 0 'value' of 'root' is bound without a stream here, and as one elsewhere; bind it the same way everywhere [H46]
  call void @llvm.hpvm.bind.input(ptr %b, i32 0, i32 0, i1 0)
; TWO-WAYS: :[[@LINE-3]]:{{.*}}: note: the other bind is here
  ret {} undef
}

;--- stream-below-value.ll
define {} @work(i32 %value, i32 %other) {
  ret {} undef
}
define {} @middle(i32 %value, i32 %other) {
  %a = call ptr @llvm.hpvm.createNode(ptr @work)
  call void @llvm.hpvm.bind.input(ptr %a, i32 0, i32 0, i1 1)
  call void @llvm.hpvm.bind.input(ptr %a, i32 1, i32 1, i1 1)
  ret {} undef
}
define {} @root(i32 %value, i32 %other) {
  %a = call ptr @llvm.hpvm.createNode(ptr @middle)
  call void @llvm.hpvm.bind.input(ptr %a, i32 0, i32 0, i1 1)
; STREAM-BELOW-VALUE: :[[@LINE+1]]:{{.*}}: error: input 1 'other' of 'middle' is a stream inside, but what feeds it here is not marked as one; set the stream flag of this call, or clear that of the bind inside [H46]
  call void @llvm.hpvm.bind.input(ptr %a, i32 1, i32 1, i1 0)
; STREAM-BELOW-VALUE: :[[@LINE-8]]:{{.*}}: note: the streaming bind is here
  ret {} undef
}

;--- stream-without-root.ll
define { i32 } @make() {
  ret { i32 } zeroinitializer
}
define {} @take(i32 %value) {
  ret {} undef
}
define {} @root() {
  %a = call ptr @llvm.hpvm.createNode(ptr @make)
  %b = call ptr @llvm.hpvm.createNode(ptr @take)
; STREAM-WITHOUT-ROOT: :[[@LINE+1]]:{{.*}}: error: this is marked as a stream, but no bind of the root 'root' is, so nothing streams; clear the flag, or mark the root's binds as well [H46]
  call ptr @llvm.hpvm.createEdge(ptr %a, ptr %b, i1 1, i32 0, i32 0, i1 1)
; STREAM-WITHOUT-ROOT: :[[@LINE-5]]: note: 'root' is defined here
  ret {} undef
}
