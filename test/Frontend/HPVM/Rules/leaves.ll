; Rules about leaves: H27 to H30.

; RUN: split-file --leading-lines %s %t
; RUN: cat %t/dimension-of-leaf.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=DIMENSION-OF-LEAF --implicit-check-not=error:
; RUN: cat %t/dimension-of-single.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=DIMENSION-OF-SINGLE --implicit-check-not=error:
; RUN: cat %t/dimension-of-parent.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=DIMENSION-OF-PARENT --implicit-check-not=error:
; RUN: cat %t/dimension-of-root.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=DIMENSION-OF-ROOT --implicit-check-not=error:
; RUN: cat %t/two-places.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=TWO-PLACES --implicit-check-not=error:
; RUN: cat %t/beyond-root.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=BEYOND-ROOT --implicit-check-not=error:
; RUN: cat %t/beyond-root-once.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=BEYOND-ROOT-ONCE --implicit-check-not=error:
; RUN: cat %t/conditional-query.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=CONDITIONAL-QUERY --implicit-check-not=error:
; RUN: cat %t/foreign-handle.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=FOREIGN-HANDLE --implicit-check-not=error:
; RUN: cat %t/escaping-handle.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=ESCAPING-HANDLE --implicit-check-not=error:
; RUN: cat %t/divergent-barrier.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=DIVERGENT-BARRIER --implicit-check-not=error:
; RUN: cat %t/barrier-in-divergent-loop.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=BARRIER-IN-DIVERGENT-LOOP --implicit-check-not=error:
; RUN: cat %t/barrier-of-one-to-one.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=BARRIER-OF-ONE-TO-ONE --implicit-check-not=error:

;--- dimension-of-leaf.ll
define {} @work() {
  %node = call ptr @llvm.hpvm.getNode()
; DIMENSION-OF-LEAF: :[[@LINE+1]]:{{.*}}: error: 'getNodeInstanceID.y' asks for dimension y of 'work', but that node is replicated in 1 dimension; create it with 'createNode2D', or do not ask for that dimension [H27]
  %y = call i64 @llvm.hpvm.getNodeInstanceID.y(ptr %node)
; DIMENSION-OF-LEAF: :[[@LINE+4]]:{{.*}}: note: 'work' is created here
  ret {} undef
}
define {} @root() {
  call ptr @llvm.hpvm.createNode1D(ptr @work, i64 4)
  ret {} undef
}

;--- dimension-of-single.ll
define {} @work() {
  %node = call ptr @llvm.hpvm.getNode()
; DIMENSION-OF-SINGLE: :[[@LINE+1]]:{{.*}}: error: 'getNumNodeInstances.x' asks for dimension x of 'work', but that node is not replicated; create it with 'createNode1D', {{.*}} [H27]
  %n = call i64 @llvm.hpvm.getNumNodeInstances.x(ptr %node)
  ret {} undef
}
define {} @root() {
  call ptr @llvm.hpvm.createNode(ptr @work)
  ret {} undef
}

;--- dimension-of-parent.ll
define {} @work() {
  %node = call ptr @llvm.hpvm.getNode()
  %parent = call ptr @llvm.hpvm.getParentNode(ptr %node)
; DIMENSION-OF-PARENT: :[[@LINE+1]]:{{.*}}: error: 'getNodeInstanceID.z' asks for dimension z of 'tile', but that node is replicated in 2 dimensions; create it with 'createNode3D', {{.*}} [H27]
  %z = call i64 @llvm.hpvm.getNodeInstanceID.z(ptr %parent)
; DIMENSION-OF-PARENT: :[[@LINE+8]]:{{.*}}: note: 'tile' is created here
  ret {} undef
}
define {} @tile() {
  call ptr @llvm.hpvm.createNode3D(ptr @work, i64 4, i64 4, i64 4)
  ret {} undef
}
define {} @root() {
  call ptr @llvm.hpvm.createNode2D(ptr @tile, i64 4, i64 4)
  ret {} undef
}

;--- dimension-of-root.ll
define {} @work() {
  %node = call ptr @llvm.hpvm.getNode()
  %parent = call ptr @llvm.hpvm.getParentNode(ptr %node)
; DIMENSION-OF-ROOT: :[[@LINE+1]]:{{.*}}: error: 'getNumNodeInstances.x' asks for dimension x of 'root', but that node is the root and is not replicated; ask about a node below it [H27]
  %z = call i64 @llvm.hpvm.getNumNodeInstances.x(ptr %parent)
; DIMENSION-OF-ROOT: :[[@LINE+3]]: note: 'root' is defined here
  ret {} undef
}
define {} @root() {
  call ptr @llvm.hpvm.createNode1D(ptr @work, i64 4)
  ret {} undef
}

;--- two-places.ll
; The leaf is right at one of its two places, and wrong at the other.
define {} @work() {
  %node = call ptr @llvm.hpvm.getNode()
; TWO-PLACES: :[[@LINE+1]]:{{.*}}: error: 'getNodeInstanceID.y' asks for dimension y of 'work.flat', but that node is replicated in 1 dimension; {{.*}} [H27]
  %y = call i64 @llvm.hpvm.getNodeInstanceID.y(ptr %node)
; TWO-PLACES: :[[@LINE+5]]:{{.*}}: note: 'work.flat' is created here
  ret {} undef
}
define {} @root() {
  %square = call ptr @llvm.hpvm.createNode2D(ptr @work, i64 4, i64 4)
  %flat = call ptr @llvm.hpvm.createNode1D(ptr @work, i64 4)
  ret {} undef
}

;--- beyond-root.ll
define {} @work() {
  %node = call ptr @llvm.hpvm.getNode()
  %root = call ptr @llvm.hpvm.getParentNode(ptr %node)
; BEYOND-ROOT: :[[@LINE+1]]:{{.*}}: error: 'getParentNode' asks for the parent of the root 'root', which has none; 'work' stands 1 level below it, so call 'getParentNode' less often [H28]
  %beyond = call ptr @llvm.hpvm.getParentNode(ptr %root)
; BEYOND-ROOT: :[[@LINE+5]]: note: 'root' is defined here
; BEYOND-ROOT: :[[@LINE+5]]:{{.*}}: note: 'work' becomes a node here
  %n = call i32 @llvm.hpvm.getNumDims(ptr %beyond)
  ret {} undef
}
define {} @root() {
  call ptr @llvm.hpvm.createNode(ptr @work)
  ret {} undef
}

;--- beyond-root-once.ll
; Deep enough at one place, too shallow at the other.
define {} @work() {
  %node = call ptr @llvm.hpvm.getNode()
  %parent = call ptr @llvm.hpvm.getParentNode(ptr %node)
; BEYOND-ROOT-ONCE: :[[@LINE+1]]:{{.*}}: error: 'getParentNode' asks for the parent of the root 'shallow', which has none; {{.*}} [H28]
  %grandparent = call ptr @llvm.hpvm.getParentNode(ptr %parent)
  %n = call i32 @llvm.hpvm.getNumDims(ptr %grandparent)
  ret {} undef
}
define {} @middle() {
  call ptr @llvm.hpvm.createNode(ptr @work)
  ret {} undef
}
define {} @deep() {
  call ptr @llvm.hpvm.createNode(ptr @middle)
  ret {} undef
}
define {} @shallow() {
  call ptr @llvm.hpvm.createNode(ptr @work)
  ret {} undef
}

;--- conditional-query.ll
define {} @work(i1 %flag) {
  %node = call ptr @llvm.hpvm.getNode()
  %parent = call ptr @llvm.hpvm.getParentNode(ptr %node)
  %one = select i1 %flag, ptr %node, ptr %parent
; CONDITIONAL-QUERY: :[[@LINE+1]]:{{.*}}: error: 'getNumDims' asks about a node whose handle depends on a condition, but handles must be known at compile time; use what 'getNode' or 'getParentNode' returned in 'work' [H29]
  %n = call i32 @llvm.hpvm.getNumDims(ptr %one)
  ret {} undef
}
define {} @root(i1 %flag) {
  %a = call ptr @llvm.hpvm.createNode(ptr @work)
  call void @llvm.hpvm.bind.input(ptr %a, i32 0, i32 0, i1 0)
  ret {} undef
}

;--- foreign-handle.ll
define {} @work(ptr "hpvm.in" %handle, i64 %bytes) {
; FOREIGN-HANDLE: :[[@LINE+1]]:{{.*}}: error: 'getNumDims' asks about a node whose handle is 'handle', but {{.*}} [H29]
  %n = call i32 @llvm.hpvm.getNumDims(ptr %handle)
  ret {} undef
}
define {} @root(ptr "hpvm.in" %handle, i64 %bytes) {
  %a = call ptr @llvm.hpvm.createNode(ptr @work)
  call void @llvm.hpvm.bind.input(ptr %a, i32 0, i32 0, i1 0)
  call void @llvm.hpvm.bind.input(ptr %a, i32 1, i32 1, i1 0)
  ret {} undef
}

;--- escaping-handle.ll
@kept = global ptr null
define {} @work() {
  %node = call ptr @llvm.hpvm.getNode()
; ESCAPING-HANDLE: :[[@LINE+1]]:{{.*}}: error: a node's handle leaves 'work' or is used as a value here, but handles exist at compile time only; pass what is asked of the node instead [H29]
  store ptr %node, ptr @kept
; ESCAPING-HANDLE: :[[@LINE-3]]:{{.*}}: note: the handle comes from here
  ret {} undef
}
define {} @root() {
  call ptr @llvm.hpvm.createNode(ptr @work)
  ret {} undef
}

;--- divergent-barrier.ll
define {} @work() {
  %node = call ptr @llvm.hpvm.getNode()
  %i = call i64 @llvm.hpvm.getNodeInstanceID.x(ptr %node)
  %first = icmp eq i64 %i, 0
  br i1 %first, label %then, label %end
then:
; DIVERGENT-BARRIER: :[[@LINE+1]]:{{.*}}: error: not every instance of 'work' reaches this barrier equally often; move it out of the branch or loop, and guard the work around it instead [H30]
  call void @llvm.hpvm.barrier()
; DIVERGENT-BARRIER: :[[@LINE-4]]:{{.*}}: note: instances of one work-group may take this branch differently
  br label %end
end:
  ret {} undef
}
define {} @root() {
  call ptr @llvm.hpvm.createNode1D(ptr @work, i64 4)
  ret {} undef
}

;--- barrier-in-divergent-loop.ll
define {} @work() {
  %node = call ptr @llvm.hpvm.getNode()
  %i = call i64 @llvm.hpvm.getNodeInstanceID.x(ptr %node)
  br label %loop
loop:
  %turn = phi i64 [ 0, %0 ], [ %next, %loop ]
; BARRIER-IN-DIVERGENT-LOOP: :[[@LINE+1]]:{{.*}}: error: not every instance of 'work' reaches this barrier equally often; {{.*}} [H30]
  call void @llvm.hpvm.barrier()
  %next = add i64 %turn, 1
  %more = icmp ult i64 %next, %i
; BARRIER-IN-DIVERGENT-LOOP: :[[@LINE+1]]:{{.*}}: note: instances of one work-group may take this branch differently
  br i1 %more, label %loop, label %end
end:
  ret {} undef
}
define {} @root() {
  call ptr @llvm.hpvm.createNode1D(ptr @work, i64 4)
  ret {} undef
}

;--- barrier-of-one-to-one.ll
; What arrives along a one-to-one edge differs between the instances.
define { i1 } @choose() {
  ret { i1 } zeroinitializer
}
define {} @work(i1 %flag) {
  br i1 %flag, label %then, label %end
then:
; BARRIER-OF-ONE-TO-ONE: :[[@LINE+1]]:{{.*}}: error: not every instance of 'work' reaches this barrier equally often; {{.*}} [H30]
  call void @llvm.hpvm.barrier()
  br label %end
end:
  ret {} undef
}
define {} @root() {
  %a = call ptr @llvm.hpvm.createNode1D(ptr @choose, i64 4)
  %b = call ptr @llvm.hpvm.createNode1D(ptr @work, i64 4)
  call ptr @llvm.hpvm.createEdge(ptr %a, ptr %b, i1 0, i32 0, i32 0, i1 0)
  ret {} undef
}
