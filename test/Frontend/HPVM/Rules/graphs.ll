; Rules about a graph as a whole: H01, H03 to H05, H08, H09, H12 and H16.

; RUN: split-file --leading-lines %s %t
; RUN: cat %t/cycle.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=CYCLE --implicit-check-not=error:
; RUN: cat %t/self-edge.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=SELF-EDGE --implicit-check-not=error:
; RUN: cat %t/two-edges-from-one-output.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=TWO-EDGES-FROM-ONE-OUTPUT --implicit-check-not=error:
; RUN: cat %t/two-edges-to-one-input.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=TWO-EDGES-TO-ONE-INPUT --implicit-check-not=error:
; RUN: cat %t/edge-and-bind.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=EDGE-AND-BIND --implicit-check-not=error:
; RUN: cat %t/two-binds-to-one-input.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=TWO-BINDS-TO-ONE-INPUT --implicit-check-not=error:
; RUN: cat %t/output-bound-twice.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=OUTPUT-BOUND-TWICE --implicit-check-not=error:
; RUN: cat %t/output-bound-to-two.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=OUTPUT-BOUND-TO-TWO --implicit-check-not=error:
; RUN: cat %t/unfed-input.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=UNFED-INPUT --implicit-check-not=error:
; RUN: cat %t/unbound-output.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=UNBOUND-OUTPUT --implicit-check-not=error:
; RUN: cat %t/unbound-output-of-internal-node.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=UNBOUND-OUTPUT-OF-INTERNAL-NODE --implicit-check-not=error:
; RUN: cat %t/negative-extent.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=NEGATIVE-EXTENT --implicit-check-not=error:
; RUN: cat %t/huge-grid.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=HUGE-GRID --implicit-check-not=error:
; RUN: cat %t/extent-of-float.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=EXTENT-OF-FLOAT --implicit-check-not=error:
; RUN: cat %t/undefined-extent.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=UNDEFINED-EXTENT --implicit-check-not=error:
; RUN: cat %t/recursion.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=RECURSION --implicit-check-not=error:
; RUN: cat %t/recursion-of-root.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=RECURSION-OF-ROOT --implicit-check-not=error:

;--- cycle.ll
define { i32 } @pass(i32 %value) {
  ret { i32 } zeroinitializer
}
define {} @root() {
  %a = call ptr @llvm.hpvm.createNode(ptr @pass)
  %b = call ptr @llvm.hpvm.createNode(ptr @pass)
  call ptr @llvm.hpvm.createEdge(ptr %a, ptr %b, i1 1, i32 0, i32 0, i1 0)
; CYCLE: :[[@LINE+1]]:{{.*}}: error: this edge from 'pass.b' to 'pass.a' closes a cycle; a graph is acyclic, so remove an edge of the cycle or pass the value through memory in the next launch [H01]
  call ptr @llvm.hpvm.createEdge(ptr %b, ptr %a, i1 1, i32 0, i32 0, i1 0)
; CYCLE: :[[@LINE-3]]:{{.*}}: note: 'pass.a' feeds 'pass.b' here
  ret {} undef
}

;--- self-edge.ll
define { i32 } @pass(i32 %value) {
  ret { i32 } zeroinitializer
}
define {} @root() {
  %a = call ptr @llvm.hpvm.createNode(ptr @pass)
; SELF-EDGE: :[[@LINE+1]]:{{.*}}: error: this edge from 'pass' to 'pass' closes a cycle; {{.*}} [H01]
  call ptr @llvm.hpvm.createEdge(ptr %a, ptr %a, i1 1, i32 0, i32 0, i1 0)
  ret {} undef
}

;--- two-edges-from-one-output.ll
define { i32 } @make() {
  ret { i32 } zeroinitializer
}
define {} @take(i32 %value) {
  ret {} undef
}
define {} @root() {
  %a = call ptr @llvm.hpvm.createNode(ptr @make)
  %b = call ptr @llvm.hpvm.createNode(ptr @take)
  %c = call ptr @llvm.hpvm.createNode(ptr @take)
  call ptr @llvm.hpvm.createEdge(ptr %a, ptr %b, i1 1, i32 0, i32 0, i1 0)
; TWO-EDGES-FROM-ONE-OUTPUT: :[[@LINE+1]]:{{.*}}: error: output 0 of 'make' already feeds another edge; let the leaf return the value a second time, and use that output here [H03]
  call ptr @llvm.hpvm.createEdge(ptr %a, ptr %c, i1 1, i32 0, i32 0, i1 0)
; TWO-EDGES-FROM-ONE-OUTPUT: :[[@LINE-3]]:{{.*}}: note: the first edge is here
; TWO-EDGES-FROM-ONE-OUTPUT: :[[@LINE-7]]:{{.*}}: note: 'make' is created here
  ret {} undef
}

;--- two-edges-to-one-input.ll
define { i32, i32 } @make() {
  ret { i32, i32 } zeroinitializer
}
define {} @take(i32 %value) {
  ret {} undef
}
define {} @root() {
  %a = call ptr @llvm.hpvm.createNode(ptr @make)
  %b = call ptr @llvm.hpvm.createNode(ptr @take)
  call ptr @llvm.hpvm.createEdge(ptr %a, ptr %b, i1 1, i32 0, i32 0, i1 0)
; TWO-EDGES-TO-ONE-INPUT: :[[@LINE+1]]:{{.*}}: error: input 0 'value' of 'take' is fed twice; every input has exactly one edge or bind, so remove one of them or correct the port number [H04]
  call ptr @llvm.hpvm.createEdge(ptr %a, ptr %b, i1 1, i32 1, i32 0, i1 0)
; TWO-EDGES-TO-ONE-INPUT: :[[@LINE-3]]:{{.*}}: note: the other edge is here
; TWO-EDGES-TO-ONE-INPUT: :[[@LINE-5]]:{{.*}}: note: 'take' is created here
  ret {} undef
}

;--- edge-and-bind.ll
define { i32 } @make() {
  ret { i32 } zeroinitializer
}
define {} @take(i32 %value) {
  ret {} undef
}
define {} @root(i32 %value) {
  %a = call ptr @llvm.hpvm.createNode(ptr @make)
  %b = call ptr @llvm.hpvm.createNode(ptr @take)
  call ptr @llvm.hpvm.createEdge(ptr %a, ptr %b, i1 1, i32 0, i32 0, i1 0)
; EDGE-AND-BIND: :[[@LINE+1]]:{{.*}}: error: input 0 'value' of 'take' is fed twice; {{.*}} [H04]
  call void @llvm.hpvm.bind.input(ptr %b, i32 0, i32 0, i1 0)
; EDGE-AND-BIND: :[[@LINE-3]]:{{.*}}: note: the other edge is here
  ret {} undef
}

;--- two-binds-to-one-input.ll
define {} @take(i32 %value) {
  ret {} undef
}
define {} @root(i32 %first, i32 %second) {
  %a = call ptr @llvm.hpvm.createNode(ptr @take)
  call void @llvm.hpvm.bind.input(ptr %a, i32 0, i32 0, i1 0)
; TWO-BINDS-TO-ONE-INPUT: :[[@LINE+1]]:{{.*}}: error: input 0 'value' of 'take' is fed twice; {{.*}} [H04]
  call void @llvm.hpvm.bind.input(ptr %a, i32 1, i32 0, i1 0)
; TWO-BINDS-TO-ONE-INPUT: :[[@LINE-3]]:{{.*}}: note: the other bind is here
  ret {} undef
}

;--- output-bound-twice.ll
define { i32, i32 } @make() {
  ret { i32, i32 } zeroinitializer
}
define { i32 } @root() {
  %a = call ptr @llvm.hpvm.createNode(ptr @make)
  call void @llvm.hpvm.bind.output(ptr %a, i32 0, i32 0, i1 0)
; OUTPUT-BOUND-TWICE: :[[@LINE+1]]:{{.*}}: error: output 0 of 'root' is bound twice; every output has exactly one bind, so remove one or correct the port number [H05]
  call void @llvm.hpvm.bind.output(ptr %a, i32 1, i32 0, i1 0)
; OUTPUT-BOUND-TWICE: :[[@LINE-3]]:{{.*}}: note: the other bind is here
  ret { i32 } undef
}

;--- output-bound-to-two.ll
define { i32 } @make() {
  ret { i32 } zeroinitializer
}
define { i32, i32 } @root() {
  %a = call ptr @llvm.hpvm.createNode(ptr @make)
  call void @llvm.hpvm.bind.output(ptr %a, i32 0, i32 0, i1 0)
; OUTPUT-BOUND-TO-TWO: :[[@LINE+1]]:{{.*}}: error: output 0 of 'make' is bound to two outputs of the parent; let the leaf return the value a second time, and bind that output [H05]
  call void @llvm.hpvm.bind.output(ptr %a, i32 0, i32 1, i1 0)
; OUTPUT-BOUND-TO-TWO: :[[@LINE-3]]:{{.*}}: note: the first bind is here
  ret { i32, i32 } undef
}

;--- unfed-input.ll
define {} @take(i32 %first, i32 %second) {
  ret {} undef
}
define {} @root(i32 %value) {
; UNFED-INPUT: :[[@LINE+1]]:{{.*}}: error: input 1 'second' of 'take' is fed by nothing; add an edge from a sibling or a bind of an input of 'root' [H08]
  %a = call ptr @llvm.hpvm.createNode(ptr @take)
; UNFED-INPUT: :[[@LINE-6]]: note: 'take' is defined here
  call void @llvm.hpvm.bind.input(ptr %a, i32 0, i32 0, i1 0)
  ret {} undef
}

;--- unbound-output.ll
define { i32 } @make() {
  ret { i32 } zeroinitializer
}
; UNBOUND-OUTPUT: :[[@LINE+1]]: error: output 1 'rest' of 'root' is bound by nothing; add a bind of a child's output to it, or do not declare it [H09]
define { i32, i64 } @root() "hpvm.outputs"="sum,rest" {
  %a = call ptr @llvm.hpvm.createNode(ptr @make)
  call void @llvm.hpvm.bind.output(ptr %a, i32 0, i32 0, i1 0)
  ret { i32, i64 } undef
}

;--- unbound-output-of-internal-node.ll
define { i32 } @make() {
  ret { i32 } zeroinitializer
}
; UNBOUND-OUTPUT-OF-INTERNAL-NODE: :[[@LINE+1]]: error: output 0 of 'middle' is bound by nothing; {{.*}} [H09]
define { i32 } @middle() {
  call ptr @llvm.hpvm.createNode(ptr @make)
  ret { i32 } undef
}
define {} @root() {
  call ptr @llvm.hpvm.createNode(ptr @middle)
  ret {} undef
}

;--- negative-extent.ll
define {} @work() {
  ret {} undef
}
define {} @root() {
; NEGATIVE-EXTENT: :[[@LINE+1]]:{{.*}}: error: the extent of 'work' in dimension y is -3; extents are 0 or more [H12]
  call ptr @llvm.hpvm.createNode2D(ptr @work, i64 4, i64 -3)
  ret {} undef
}

;--- huge-grid.ll
define {} @work() {
  ret {} undef
}
define {} @root() {
; HUGE-GRID: :[[@LINE+1]]:{{.*}}: error: 'work' has more than 2^63 - 1 instances; the product of the extents must fit a signed 64-bit integer [H12]
  call ptr @llvm.hpvm.createNode3D(ptr @work, i64 4294967296, i64 4294967296, i64 4)
  ret {} undef
}

;--- extent-of-float.ll
define {} @work() {
  ret {} undef
}
define {} @root(float %size) {
; EXTENT-OF-FLOAT: :[[@LINE+1]]:{{.*}}: error: internal node 'root' holds 'fptosi', but it may only describe its child graph; move the computation into a leaf [H14]
  %n = fptosi float %size to i64
  call ptr @llvm.hpvm.createNode1D(ptr @work, i64 %n)
  ret {} undef
}

;--- undefined-extent.ll
define {} @work() {
  ret {} undef
}
define {} @root() {
; UNDEFINED-EXTENT: :[[@LINE+1]]:{{.*}}: error: the extent of 'work' in dimension x depends on an undefined value (i64); extents are integer arithmetic on constants and arguments [H12]
  call ptr @llvm.hpvm.createNode1D(ptr @work, i64 undef)
  ret {} undef
}

;--- recursion.ll
define {} @inner() {
; RECURSION: :[[@LINE+1]]:{{.*}}: error: 'outer' contains itself; a graph has a finite structure, so write one function for each level [H16]
  call ptr @llvm.hpvm.createNode(ptr @outer)
; RECURSION: :[[@LINE+4]]:{{.*}}: note: 'outer' creates a node of 'inner'
  ret {} undef
}
define {} @outer() {
  call ptr @llvm.hpvm.createNode(ptr @inner)
  ret {} undef
}
define {} @root() {
  call ptr @llvm.hpvm.createNode(ptr @outer)
  ret {} undef
}

;--- recursion-of-root.ll
define {} @root() {
; RECURSION-OF-ROOT: :[[@LINE+1]]:{{.*}}: error: 'root' contains itself; {{.*}} [H16]
  call ptr @llvm.hpvm.createNode(ptr @root)
  ret {} undef
}
