; Rules about node functions and what they hold: H13 to H15 and H17 to H24.

; RUN: split-file --leading-lines %s %t
; RUN: cat %t/branch.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=BRANCH --implicit-check-not=error:
; RUN: cat %t/loop.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=LOOP --implicit-check-not=error:
; RUN: cat %t/long-loop.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=LONG-LOOP --implicit-check-not=error:
; RUN: cat %t/endless.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=ENDLESS --implicit-check-not=error:
; RUN: cat %t/no-return.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=NO-RETURN --implicit-check-not=error:
; RUN: cat %t/unknown-function.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=UNKNOWN-FUNCTION --implicit-check-not=error:
; RUN: cat %t/unknown-port.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=UNKNOWN-PORT --implicit-check-not=error:
; RUN: cat %t/unknown-replication.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=UNKNOWN-REPLICATION --implicit-check-not=error:
; RUN: cat %t/conditional-handle.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=CONDITIONAL-HANDLE --implicit-check-not=error:
; RUN: cat %t/computation.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=COMPUTATION --implicit-check-not=error:
; RUN: cat %t/extent-from-memory.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=EXTENT-FROM-MEMORY --implicit-check-not=error:
; RUN: cat %t/stored-handle.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=STORED-HANDLE --implicit-check-not=error:
; RUN: cat %t/internal-returns-value.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=INTERNAL-RETURNS-VALUE --implicit-check-not=error:
; RUN: cat %t/undefined-function.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=UNDEFINED-FUNCTION --implicit-check-not=error:
; RUN: cat %t/no-struct.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=NO-STRUCT --implicit-check-not=error:
; RUN: cat %t/variadic.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=VARIADIC --implicit-check-not=error:
; RUN: cat %t/by-value.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=BY-VALUE --implicit-check-not=error:
; RUN: cat %t/scalable-port.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=SCALABLE-PORT --implicit-check-not=error:
; RUN: cat %t/direct-call.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=DIRECT-CALL --implicit-check-not=error:
; RUN: cat %t/leaf-and-graph.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=LEAF-AND-GRAPH --implicit-check-not=error:
; RUN: cat %t/launched-leaf.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=LAUNCHED-LEAF --implicit-check-not=error:
; RUN: cat %t/graph-in-main.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=GRAPH-IN-MAIN --implicit-check-not=error:
; RUN: cat %t/query-on-host.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=QUERY-ON-HOST --implicit-check-not=error:
; RUN: cat %t/launch-in-leaf.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=LAUNCH-IN-LEAF --implicit-check-not=error:
; RUN: cat %t/init-in-root.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=INIT-IN-ROOT --implicit-check-not=error:
; RUN: cat %t/auxiliary-leaf.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=AUXILIARY-LEAF --implicit-check-not=error:
; RUN: cat %t/auxiliary-deep.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=AUXILIARY-DEEP --implicit-check-not=error:
; RUN: cat %t/auxiliary-graph.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=AUXILIARY-GRAPH --implicit-check-not=error:

;--- branch.ll
define {} @work() {
  ret {} undef
}
define {} @root(i1 %flag) {
; BRANCH: :[[@LINE+1]]:{{.*}}: error: internal node 'root' has control flow that depends on 'flag', but the structure of a graph must be known at compile time; make the condition constant, or write one root for each case [H13]
  br i1 %flag, label %then, label %end
then:
  call ptr @llvm.hpvm.createNode(ptr @work)
  br label %end
end:
  ret {} undef
}

;--- loop.ll
define {} @work() {
  ret {} undef
}
define {} @root(i64 %count) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  call ptr @llvm.hpvm.createNode(ptr @work)
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %count
; LOOP: :[[@LINE+1]]:{{.*}}: error: internal node 'root' has control flow that depends on 'count', {{.*}} [H13]
  br i1 %more, label %loop, label %end
end:
  ret {} undef
}

;--- long-loop.ll
define {} @work() {
  ret {} undef
}
define {} @root() {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  call ptr @llvm.hpvm.createNode(ptr @work)
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, 1000000
; LONG-LOOP: :[[@LINE+1]]:{{.*}}: error: internal node 'root' has a loop with too many turns to be unrolled; replicate one node instead of creating so many [H13]
  br i1 %more, label %loop, label %end
end:
  ret {} undef
}

;--- endless.ll
define {} @work() {
  ret {} undef
}
define {} @root() {
  br label %loop
loop:
  call ptr @llvm.hpvm.createNode(ptr @work)
; ENDLESS: :[[@LINE+1]]:{{.*}}: error: internal node 'root' has a loop without an end, but the structure of a graph must be known at compile time; {{.*}} [H13]
  br label %loop
}

;--- no-return.ll
define {} @work() {
  ret {} undef
}
define {} @root() {
  call ptr @llvm.hpvm.createNode(ptr @work)
; NO-RETURN: :[[@LINE+1]]:{{.*}}: error: internal node 'root' ends without a return; return a value of its type on every path [H13]
  unreachable
}

;--- unknown-function.ll
define {} @root(ptr "hpvm.in" %function, i64 %bytes) {
; UNKNOWN-FUNCTION: :[[@LINE+1]]:{{.*}}: error: the function of this node is 'function', but the structure of a graph must be known at compile time; name the node function in the call [H13]
  call ptr @llvm.hpvm.createNode(ptr %function)
  ret {} undef
}

;--- unknown-port.ll
define {} @take(i32 %value) {
  ret {} undef
}
define {} @root(i32 %port) {
  %a = call ptr @llvm.hpvm.createNode(ptr @take)
; UNKNOWN-PORT: :[[@LINE+1]]:{{.*}}: error: the child's input port is 'port', but the structure of a graph must be known at compile time; write a constant [H13]
  call void @llvm.hpvm.bind.input(ptr %a, i32 0, i32 %port, i1 0)
  ret {} undef
}

;--- unknown-replication.ll
define { i32 } @make() {
  ret { i32 } zeroinitializer
}
define {} @take(i32 %value) {
  ret {} undef
}
define {} @root(i1 %all) {
  %a = call ptr @llvm.hpvm.createNode(ptr @make)
  %b = call ptr @llvm.hpvm.createNode(ptr @take)
; UNKNOWN-REPLICATION: :[[@LINE+1]]:{{.*}}: error: the replication type is 'all', but {{.*}} [H13]
  call ptr @llvm.hpvm.createEdge(ptr %a, ptr %b, i1 %all, i32 0, i32 0, i1 0)
  ret {} undef
}

;--- conditional-handle.ll
define {} @take(i32 %value) {
  ret {} undef
}
define {} @root(i32 %value, i1 %flag) {
  %a = call ptr @llvm.hpvm.createNode(ptr @take)
  %b = call ptr @llvm.hpvm.createNode(ptr @take)
  %c = select i1 %flag, ptr %a, ptr %b
; CONDITIONAL-HANDLE: :[[@LINE+1]]:{{.*}}: error: which node this handle names depends on a condition, but the structure of a graph must be known at compile time; name the node directly [H13]
  call void @llvm.hpvm.bind.input(ptr %c, i32 0, i32 0, i1 0)
  ret {} undef
}

;--- computation.ll
@total = global i64 0
declare i32 @puts(ptr)
define {} @work() {
  ret {} undef
}
define {} @root(i64 %n, ptr "hpvm.in" %text, i64 %bytes) {
; COMPUTATION: :[[@LINE+1]]:{{.*}}: error: internal node 'root' holds a call of 'puts', but it may only describe its child graph; move the computation into a leaf [H14]
  call i32 @puts(ptr %text)
; COMPUTATION: :[[@LINE+1]]:{{.*}}: error: internal node 'root' holds a store to memory, {{.*}} [H14]
  store i64 %n, ptr @total
  call ptr @llvm.hpvm.createNode1D(ptr @work, i64 %n)
  ret {} undef
}

;--- extent-from-memory.ll
@size = global i64 7
define {} @work() {
  ret {} undef
}
define {} @root() {
; EXTENT-FROM-MEMORY: :[[@LINE+1]]:{{.*}}: error: internal node 'root' holds a load from memory, {{.*}} [H14]
  %n = load volatile i64, ptr @size
  call ptr @llvm.hpvm.createNode1D(ptr @work, i64 %n)
  ret {} undef
}

;--- stored-handle.ll
@kept = global ptr null
define {} @work() {
  ret {} undef
}
define {} @root() {
  %a = call ptr @llvm.hpvm.createNode(ptr @work)
; STORED-HANDLE: :[[@LINE+1]]:{{.*}}: error: internal node 'root' stores a node's handle in memory, but handles exist at compile time only; use the handle directly [H14]
  store ptr %a, ptr @kept
  ret {} undef
}

;--- internal-returns-value.ll
define { i32 } @make() {
  ret { i32 } zeroinitializer
}
define { i32 } @root(i32 %value) {
  %a = call ptr @llvm.hpvm.createNode(ptr @make)
  call void @llvm.hpvm.bind.output(ptr %a, i32 0, i32 0, i1 0)
  %result = insertvalue { i32 } undef, i32 %value, 0
; INTERNAL-RETURNS-VALUE: :[[@LINE+1]]:{{.*}}: error: internal node 'root' returns a value, but its outputs come from binds alone; bind a child's output, and return 'undef' [H15]
  ret { i32 } %result
}

;--- undefined-function.ll
declare {} @elsewhere()
define {} @root() {
; UNDEFINED-FUNCTION: :[[@LINE+1]]:{{.*}}: error: 'elsewhere' is declared, but not defined; compile the file that defines it together with this one [H17]
  call ptr @llvm.hpvm.createNode(ptr @elsewhere)
  ret {} undef
}

;--- no-struct.ll
; NO-STRUCT: :[[@LINE+1]]: error: node function 'work' returns void, but a node function returns a struct with one field for each output, '{}' without outputs [H17]
define void @work() {
  ret void
}
define {} @root() {
  call ptr @llvm.hpvm.createNode(ptr @work)
  ret {} undef
}

;--- variadic.ll
; VARIADIC: :[[@LINE+1]]: error: node function 'work' takes variable arguments; declare one parameter for each input [H17]
define {} @work(...) {
  ret {} undef
}
define {} @root() {
  call ptr @llvm.hpvm.createNode(ptr @work)
  ret {} undef
}

;--- by-value.ll
; BY-VALUE: :[[@LINE+1]]: error: input 0 'pair' of 'work' is passed by reference behind the scenes (byval, sret or the like); declare the value itself as the parameter [H17]
define {} @work(ptr byval({ i64, i64 }) "hpvm.in" %pair, i64 %bytes) {
  ret {} undef
}
define {} @root(ptr "hpvm.in" %pair, i64 %bytes) {
  %a = call ptr @llvm.hpvm.createNode(ptr @work)
  call void @llvm.hpvm.bind.input(ptr %a, i32 0, i32 0, i1 0)
  call void @llvm.hpvm.bind.input(ptr %a, i32 1, i32 1, i1 0)
  ret {} undef
}

;--- scalable-port.ll
; SCALABLE-PORT: :[[@LINE+1]]: error: input 0 'value' of 'work' has type <vscale x 4 x float>, which no edge can carry; use integers, floats, pointers, or vectors, arrays and structs of them [H17]
define {} @work(<vscale x 4 x float> %value) {
  ret {} undef
}
; SCALABLE-PORT: :[[@LINE+1]]: error: input 0 'value' of 'root' has type <vscale x 4 x float>, {{.*}} [H17]
define {} @root(<vscale x 4 x float> %value) {
  %a = call ptr @llvm.hpvm.createNode(ptr @work)
  call void @llvm.hpvm.bind.input(ptr %a, i32 0, i32 0, i1 0)
  ret {} undef
}

;--- direct-call.ll
define { i32 } @work() {
  ret { i32 } zeroinitializer
}
define { i32 } @root() {
  %a = call ptr @llvm.hpvm.createNode(ptr @work)
  call void @llvm.hpvm.bind.output(ptr %a, i32 0, i32 0, i1 0)
  ret { i32 } undef
}
define i32 @main() {
; DIRECT-CALL: :[[@LINE+1]]:{{.*}}: error: node function 'work' is called directly; nodes run when a graph is launched, so move the code they share to a function of its own [H18]
  %result = call { i32 } @work()
; DIRECT-CALL: :[[@LINE-11]]: note: 'work' is defined here
  %value = extractvalue { i32 } %result, 0
  ret i32 %value
}

;--- leaf-and-graph.ll
define {} @work() {
  ret {} undef
}
define {} @mixed() {
  call ptr @llvm.hpvm.createNode(ptr @work)
; LEAF-AND-GRAPH: :[[@LINE+1]]:{{.*}}: error: 'getNode' is for leaves, but 'mixed' creates a graph; a node is either internal or a leaf, so move the call to a child [H19]
  call ptr @llvm.hpvm.getNode()
; LEAF-AND-GRAPH: :[[@LINE-3]]:{{.*}}: note: this call of 'createNode' makes it an internal node
  ret {} undef
}
define {} @root() {
  call ptr @llvm.hpvm.createNode(ptr @mixed)
  ret {} undef
}

;--- launched-leaf.ll
define {} @work() {
  call ptr @llvm.hpvm.malloc(i64 8)
  ret {} undef
}
define i32 @main() {
  call void @llvm.hpvm.init()
; LAUNCHED-LEAF: :[[@LINE+1]]:{{.*}}: error: 'work' is launched, but it creates no nodes; launch an internal node that creates a node of it and binds its ports [H20]
  %g = call ptr @llvm.hpvm.launch(ptr @work, ptr null, i1 0)
; LAUNCHED-LEAF: :[[@LINE-8]]: note: 'work' is defined here
  call void @llvm.hpvm.wait(ptr %g)
  call void @llvm.hpvm.cleanup()
  ret i32 0
}

;--- graph-in-main.ll
define {} @work() {
  ret {} undef
}
define i32 @main() {
; GRAPH-IN-MAIN: :[[@LINE+1]]:{{.*}}: error: 'createNode' describes a graph, but 'main' is no node function; move the call to the root, or to a function that runs as an internal node [H21]
  call ptr @llvm.hpvm.createNode(ptr @work)
  ret i32 0
}

;--- query-on-host.ll
define i32 @main() {
; QUERY-ON-HOST: :[[@LINE+1]]:{{.*}}: error: 'getNode' is for leaves, but 'main' is host code: no graph creates a node of it [H22]
  %node = call ptr @llvm.hpvm.getNode()
; QUERY-ON-HOST: :[[@LINE+1]]:{{.*}}: error: 'barrier' is for leaves, but 'main' is host code: no graph creates a node of it [H22]
  call void @llvm.hpvm.barrier()
  ret i32 0
}

;--- launch-in-leaf.ll
define {} @work() {
; LAUNCH-IN-LEAF: :[[@LINE+1]]:{{.*}}: error: 'requestMemory' is for host code, but 'work' is a node function; move the call to the code that launches the graph [H23]
  call void @llvm.hpvm.requestMemory(ptr null, i64 8)
  ret {} undef
}
define {} @root() {
  call ptr @llvm.hpvm.createNode(ptr @work)
  ret {} undef
}

;--- init-in-root.ll
define {} @work() {
  ret {} undef
}
define {} @root() {
; INIT-IN-ROOT: :[[@LINE+1]]:{{.*}}: error: 'init' is for host code, but 'root' is a node function; {{.*}} [H23]
  call void @llvm.hpvm.init()
  call ptr @llvm.hpvm.createNode(ptr @work)
  ret {} undef
}

;--- auxiliary-leaf.ll
define internal i64 @index() {
; AUXILIARY-LEAF: :[[@LINE+1]]:{{.*}}: error: 'getNode' is used in 'index', an auxiliary function of a node; only node functions may use HPVM intrinsics, so pass the result as an argument or move the code into the node function [H24]
  %node = call ptr @llvm.hpvm.getNode()
; AUXILIARY-LEAF: :[[@LINE+7]]:{{.*}}: note: 'work' calls it here
; AUXILIARY-LEAF: :[[@LINE+1]]:{{.*}}: error: 'getNodeInstanceID.x' is used in 'index', {{.*}} [H24]
  %i = call i64 @llvm.hpvm.getNodeInstanceID.x(ptr %node)
; AUXILIARY-LEAF: :[[@LINE+4]]:{{.*}}: note: 'work' calls it here
  ret i64 %i
}
define {} @work() {
  call i64 @index()
  ret {} undef
}
define {} @root() {
  call ptr @llvm.hpvm.createNode1D(ptr @work, i64 8)
  ret {} undef
}

;--- auxiliary-deep.ll
; Through two calls, and a barrier.
define internal void @deep() {
; AUXILIARY-DEEP: :[[@LINE+1]]:{{.*}}: error: 'barrier' is used in 'deep', an auxiliary function of a node; {{.*}} [H24]
  call void @llvm.hpvm.barrier()
; AUXILIARY-DEEP: :[[@LINE+4]]:{{.*}}: note: 'between' calls it here
  ret void
}
define internal void @between() {
  call void @deep()
  ret void
}
define {} @work() {
  call void @between()
  ret {} undef
}
define {} @root() {
  call ptr @llvm.hpvm.createNode1D(ptr @work, i64 8)
  ret {} undef
}

;--- auxiliary-graph.ll
; A helper of an internal node may not create nodes for it.
define {} @work() {
  ret {} undef
}
define ptr @create() {
; AUXILIARY-GRAPH: :[[@LINE+1]]:{{.*}}: error: 'createNode' is used in 'create', an auxiliary function of a node; {{.*}} [H24]
  %node = call ptr @llvm.hpvm.createNode(ptr @work)
; AUXILIARY-GRAPH: :[[@LINE+5]]:{{.*}}: note: 'root' calls it here
  ret ptr %node
}
define {} @root() {
; AUXILIARY-GRAPH: :[[@LINE+1]]:{{.*}}: error: internal node 'root' holds a call of 'create', {{.*}} [H14]
  call ptr @create()
  call ptr @llvm.hpvm.createNode(ptr @work)
  ret {} undef
}
