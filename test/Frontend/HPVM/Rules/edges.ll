; Rules about single edges and binds: H02, H06, H07 and H10.

; RUN: split-file --leading-lines %s %t
; RUN: cat %t/input-range.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=INPUT-RANGE --implicit-check-not=error:
; RUN: cat %t/output-range.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=OUTPUT-RANGE --implicit-check-not=error:
; RUN: cat %t/negative-port.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=NEGATIVE --implicit-check-not=error:
; RUN: cat %t/bind-range.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=BIND-RANGE --implicit-check-not=error:
; RUN: cat %t/bind-order.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=BIND-ORDER --implicit-check-not=error:
; RUN: cat %t/edge-type.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=EDGE-TYPE --implicit-check-not=error:
; RUN: cat %t/struct-type.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=STRUCT-TYPE --implicit-check-not=error:
; RUN: cat %t/bind-type.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=BIND-TYPE --implicit-check-not=error:
; RUN: cat %t/output-type.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=OUTPUT-TYPE --implicit-check-not=error:
; RUN: cat %t/grid-dimensions.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=GRID-DIMENSIONS --implicit-check-not=error:
; RUN: cat %t/grid-extents.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=GRID-EXTENTS --implicit-check-not=error:
; RUN: cat %t/not-sibling.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=NOT-SIBLING --implicit-check-not=error:
; RUN: cat %t/edge-handle.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=EDGE-HANDLE --implicit-check-not=error:
; RUN: cat %t/null-handle.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=NULL-HANDLE --implicit-check-not=error:

;--- input-range.ll
define { i32 } @make() {
  ret { i32 } zeroinitializer
}
define {} @take(i32 %value) {
  ret {} undef
}
define {} @root() {
  %a = call ptr @llvm.hpvm.createNode(ptr @make)
  %b = call ptr @llvm.hpvm.createNode(ptr @take)
; INPUT-RANGE: :[[@LINE+1]]:{{.*}}: error: input port 1 is out of range: 'take' has 1 input; ports are numbered from 0 in the order of the parameters [H06]
  call ptr @llvm.hpvm.createEdge(ptr %a, ptr %b, i1 1, i32 0, i32 1, i1 0)
; INPUT-RANGE: :[[@LINE-8]]: note: 'take' is defined here
  ret {} undef
}

;--- output-range.ll
define { i32 } @make() {
  ret { i32 } zeroinitializer
}
define {} @take(i32 %value) {
  ret {} undef
}
define {} @root() {
  %a = call ptr @llvm.hpvm.createNode(ptr @make)
  %b = call ptr @llvm.hpvm.createNode(ptr @take)
; OUTPUT-RANGE: :[[@LINE+1]]:{{.*}}: error: output port 2 is out of range: 'make' has 1 output; ports are numbered from 0 in the order of the returned fields [H06]
  call ptr @llvm.hpvm.createEdge(ptr %a, ptr %b, i1 1, i32 2, i32 0, i1 0)
; OUTPUT-RANGE: :[[@LINE-11]]: note: 'make' is defined here
  ret {} undef
}

;--- negative-port.ll
define {} @take(i32 %value) {
  ret {} undef
}
define {} @root(i32 %value) {
  %a = call ptr @llvm.hpvm.createNode(ptr @take)
; NEGATIVE: :[[@LINE+1]]:{{.*}}: error: input port -1 is out of range: 'root' has 1 input; {{.*}} [H06]
  call void @llvm.hpvm.bind.input(ptr %a, i32 -1, i32 0, i1 0)
  ret {} undef
}

;--- bind-range.ll
define {} @take(i32 %value) {
  ret {} undef
}
define {} @root(i32 %value) {
  %a = call ptr @llvm.hpvm.createNode(ptr @take)
; BIND-RANGE: :[[@LINE+1]]:{{.*}}: error: input port 3 is out of range: 'take' has 1 input; {{.*}} [H06]
  call void @llvm.hpvm.bind.input(ptr %a, i32 0, i32 3, i1 0)
  ret {} undef
}

;--- bind-order.ll
; The child's output comes first in an output bind.
define { i32, i32 } @make() {
  ret { i32, i32 } zeroinitializer
}
define { i32 } @root() {
  %a = call ptr @llvm.hpvm.createNode(ptr @make)
; BIND-ORDER: :[[@LINE+1]]:{{.*}}: error: output port 1 is out of range: 'root' has 1 output; {{.*}} [H06]
  call void @llvm.hpvm.bind.output(ptr %a, i32 0, i32 1, i1 0)
; BIND-ORDER: :[[@LINE-4]]: note: 'root' is defined here
  ret { i32 } undef
}

;--- edge-type.ll
define { i32 } @make() "hpvm.outputs"="count" {
  ret { i32 } zeroinitializer
}
define {} @take(float %value) {
  ret {} undef
}
define {} @root() {
  %a = call ptr @llvm.hpvm.createNode(ptr @make)
  %b = call ptr @llvm.hpvm.createNode(ptr @take)
; EDGE-TYPE: :[[@LINE+1]]:{{.*}}: error: output 0 'count' of 'make' has type i32, but input 0 'value' of 'take' has type float; both ends must have the same type, so change one of the functions or the port number [H07]
  call ptr @llvm.hpvm.createEdge(ptr %a, ptr %b, i1 1, i32 0, i32 0, i1 0)
; EDGE-TYPE: :[[@LINE-11]]: note: 'make' is defined here
; EDGE-TYPE: :[[@LINE-9]]: note: 'take' is defined here
  ret {} undef
}

;--- struct-type.ll
%pair = type { i32, i32 }
%packed = type <{ i32, i32 }>
define { %pair } @make() {
  ret { %pair } zeroinitializer
}
define {} @take(%packed %value) {
  ret {} undef
}
define {} @root() {
  %a = call ptr @llvm.hpvm.createNode(ptr @make)
  %b = call ptr @llvm.hpvm.createNode(ptr @take)
; STRUCT-TYPE: :[[@LINE+1]]:{{.*}}: error: output 0 of 'make' has type %pair, but input 0 'value' of 'take' has type %packed; {{.*}} [H07]
  call ptr @llvm.hpvm.createEdge(ptr %a, ptr %b, i1 1, i32 0, i32 0, i1 0)
  ret {} undef
}

;--- bind-type.ll
define {} @take(i64 %value) {
  ret {} undef
}
define {} @root(i32 %count) {
  %a = call ptr @llvm.hpvm.createNode(ptr @take)
; BIND-TYPE: :[[@LINE+1]]:{{.*}}: error: input 0 'count' of 'root' has type i32, but input 0 'value' of 'take' has type i64; {{.*}} [H07]
  call void @llvm.hpvm.bind.input(ptr %a, i32 0, i32 0, i1 0)
  ret {} undef
}

;--- output-type.ll
define { i32 } @make() {
  ret { i32 } zeroinitializer
}
define { double } @root() {
  %a = call ptr @llvm.hpvm.createNode(ptr @make)
; OUTPUT-TYPE: :[[@LINE+1]]:{{.*}}: error: output 0 of 'make' has type i32, but output 0 of 'root' has type double; {{.*}} [H07]
  call void @llvm.hpvm.bind.output(ptr %a, i32 0, i32 0, i1 0)
  ret { double } undef
}

;--- grid-dimensions.ll
define { i32 } @make() {
  ret { i32 } zeroinitializer
}
define {} @take(i32 %value) {
  ret {} undef
}
define {} @root(i64 %n) {
  %a = call ptr @llvm.hpvm.createNode2D(ptr @make, i64 %n, i64 %n)
  %b = call ptr @llvm.hpvm.createNode1D(ptr @take, i64 %n)
; GRID-DIMENSIONS: :[[@LINE+1]]:{{.*}}: error: a one-to-one edge joins nodes with equal grids, but 'make' has 2 dimensions and 'take' has 1 dimension; use an all-to-all edge (replication type 1) or equal extents [H10]
  call ptr @llvm.hpvm.createEdge(ptr %a, ptr %b, i1 0, i32 0, i32 0, i1 0)
; GRID-DIMENSIONS: :[[@LINE-4]]:{{.*}}: note: 'make' is created here
; GRID-DIMENSIONS: :[[@LINE-4]]:{{.*}}: note: 'take' is created here
  ret {} undef
}

;--- grid-extents.ll
define { i32 } @make() {
  ret { i32 } zeroinitializer
}
define {} @take(i32 %value) {
  ret {} undef
}
define {} @root(i64 %n) {
  %a = call ptr @llvm.hpvm.createNode2D(ptr @make, i64 %n, i64 64)
  %b = call ptr @llvm.hpvm.createNode2D(ptr @take, i64 %n, i64 32)
; GRID-EXTENTS: :[[@LINE+1]]:{{.*}}: error: a one-to-one edge joins nodes with equal grids, but in dimension y 'make' has extent 64 and 'take' has extent 32; use an all-to-all edge (replication type 1) or equal extents [H10]
  call ptr @llvm.hpvm.createEdge(ptr %a, ptr %b, i1 0, i32 0, i32 0, i1 0)
  ret {} undef
}

;--- not-sibling.ll
; A handle that comes from another function.
define { i32 } @make() {
  ret { i32 } zeroinitializer
}
define {} @take(i32 %value) {
  ret {} undef
}
@outside = global ptr null
define {} @root() {
  %b = call ptr @llvm.hpvm.createNode(ptr @take)
; NOT-SIBLING: :[[@LINE+1]]:{{.*}}: error: internal node 'root' holds a load from memory, but it may only describe its child graph; move the computation into a leaf [H14]
  %a = load ptr, ptr @outside
; NOT-SIBLING: :[[@LINE+1]]:{{.*}}: error: the handle is 'a', but edges and binds join only nodes that the same internal node creates; use a handle that 'createNode' returned in 'root' [H02]
  call ptr @llvm.hpvm.createEdge(ptr %a, ptr %b, i1 1, i32 0, i32 0, i1 0)
  ret {} undef
}

;--- edge-handle.ll
define { i32 } @make() {
  ret { i32 } zeroinitializer
}
define { i32 } @pass(i32 %value) {
  ret { i32 } zeroinitializer
}
define { i32 } @root() {
  %a = call ptr @llvm.hpvm.createNode(ptr @make)
  %b = call ptr @llvm.hpvm.createNode(ptr @pass)
  %e = call ptr @llvm.hpvm.createEdge(ptr %a, ptr %b, i1 1, i32 0, i32 0, i1 0)
; EDGE-HANDLE: :[[@LINE+1]]:{{.*}}: error: a node's handle is expected, but this is the handle of an edge; pass what 'createNode' returned [H02]
  call void @llvm.hpvm.bind.output(ptr %e, i32 0, i32 0, i1 0)
; EDGE-HANDLE: :[[@LINE-3]]:{{.*}}: note: the edge is created here
  ret { i32 } undef
}

;--- null-handle.ll
define {} @root(i32 %value) {
; NULL-HANDLE: :[[@LINE+1]]:{{.*}}: error: the handle is null, but edges and binds join only nodes that the same internal node creates; {{.*}} [H02]
  call void @llvm.hpvm.bind.input(ptr null, i32 0, i32 0, i1 0)
  ret {} undef
}
