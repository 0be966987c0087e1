// Internal nodes with one instance give way to their children.
// RUN: %sluice-opt --dfg-flatten-graphs --split-input-file %s | FileCheck %s

dfg.kernel @step(%v: i64) -> (v: i64) symbol("step.leaf")
dfg.kernel @sum(%a: i64, %b: i64) -> (v: i64) symbol("sum.leaf")

// CHECK-NOT: dfg.graph @inner
dfg.graph @inner(%a: i64, %b: i64) -> (v: i64, w: i64) {
  %n = arith.constant 8 : i64
  %0 = dfg.node @step[%n](%a) : (i64) -> i64
  %1 = dfg.node @sum[%n](one_to_one %0, %b) : (i64, i64) -> i64
  %2 = dfg.node @step[%a](%b) : (i64) -> i64
  dfg.output %1, %2 : i64, i64
}

// The first children wait for both sources, whichever value they take; the sink
// waits for the last children, whichever value it takes.
// CHECK-LABEL: dfg.graph @root
// CHECK: %[[A:.*]]:2 = dfg.node @step(%v) : (i64) -> (i64, !dfg.token)
// CHECK: %[[B:.*]]:2 = dfg.node @step(%v) named("other") : (i64) -> (i64, !dfg.token)
// CHECK: %[[N:.*]] = arith.constant 8
// CHECK: %[[C:.*]] = dfg.node @step[%[[N]]](%[[A]]#0) after(%[[B]]#1) named("inner/step") : (i64) -> i64
// CHECK: %[[D:.*]]:2 = dfg.node @sum[%[[N]]](one_to_one %[[C]], %[[B]]#0) named("inner/sum") : (i64, i64) -> (i64, !dfg.token)
// CHECK: %[[E:.*]] = dfg.node @step[%[[A]]#0](%[[B]]#0) after(%[[A]]#1) named("inner/step")
// CHECK: %[[F:.*]] = dfg.node @step(%[[E]]) after(%[[D]]#1) named("sink")
// CHECK: dfg.output %[[F]], %[[D]]#0
dfg.graph @root(%v: i64) -> (v: i64, w: i64) {
  %0 = dfg.node @step(%v) : (i64) -> i64
  %1 = dfg.node @step(%v) named("other") : (i64) -> i64
  %2, %3 = dfg.node @inner(one_to_one %0, %1) : (i64, i64) -> (i64, i64)
  %4 = dfg.node @step(one_to_one %3) named("sink") : (i64) -> i64
  dfg.output %4, %2 : i64, i64
}

// Two levels, and tokens on both sides.
dfg.graph @outer(%a: i64) -> (v: i64) {
  %0, %1 = dfg.node @inner(%a, %a) : (i64, i64) -> (i64, i64)
  dfg.output %0 : i64
}
// CHECK-LABEL: dfg.graph @two_levels
// CHECK: %[[A:.*]]:2 = dfg.node @step(%v)
// CHECK: dfg.node @step{{.*}}(%v) after(%[[A]]#1) named("outer/inner/step")
// CHECK: %[[B:.*]]:2 = dfg.node @sum{{.*}} named("outer/inner/sum")
// CHECK: %[[C:.*]]:2 = dfg.node @step{{.*}}(%v) after(%[[A]]#1) named("outer/inner/step")
// CHECK: dfg.node @step(%v) after(%[[B]]#1, %[[C]]#1)
dfg.graph @two_levels(%v: i64) -> (v: i64, w: i64, u: i64) {
  %0, %t = dfg.node @step(%v) : (i64) -> (i64, !dfg.token)
  %1, %u = dfg.node @outer(%v) after(%t) : (i64) -> (i64, !dfg.token)
  %2 = dfg.node @step(%v) after(%u) : (i64) -> i64
  dfg.output %0, %1, %2 : i64, i64, i64
}

// Children of a replicated internal node.
// CHECK-LABEL: dfg.graph @tile
// CHECK: dfg.node @sum{{.*}} named("inner/sum")
dfg.graph @tile(%v: i64) -> (v: i64) {
  %0, %1 = dfg.node @inner(%v, %v) : (i64, i64) -> (i64, i64)
  dfg.output %0 : i64
}
// CHECK-LABEL: dfg.graph @tiles
// CHECK: dfg.node @tile[%v](%v)
dfg.graph @tiles(%v: i64) -> (v: i64) {
  %0 = dfg.node @tile[%v](%v) : (i64) -> i64
  dfg.output %0 : i64
}

llvm.func @step.leaf(%v: i64) -> !llvm.struct<(i64)> {
  %u = llvm.mlir.undef : !llvm.struct<(i64)>
  %0 = llvm.insertvalue %v, %u[0] : !llvm.struct<(i64)>
  llvm.return %0 : !llvm.struct<(i64)>
}
llvm.func @sum.leaf(%a: i64, %b: i64) -> !llvm.struct<(i64)> {
  %w = llvm.add %a, %b : i64
  %u = llvm.mlir.undef : !llvm.struct<(i64)>
  %0 = llvm.insertvalue %w, %u[0] : !llvm.struct<(i64)>
  llvm.return %0 : !llvm.struct<(i64)>
}

// -----

// A leaf that asks about its parent keeps it, and the node above it may go; one
// that asks about its parent's parent keeps both.
dfg.kernel @ask_parent(%v: i64) -> (v: i64) symbol("parent.leaf")
dfg.kernel @ask_above(%v: i64) -> (v: i64) symbol("above.leaf")
dfg.kernel @unknown(%v: i64) -> (v: i64) symbol("unknown.leaf")
dfg.graph @parent(%v: i64) -> (v: i64) {
  %0 = dfg.node @ask_parent[%v](%v) : (i64) -> i64
  dfg.output %0 : i64
}
dfg.graph @above(%v: i64) -> (v: i64) {
  %0 = dfg.node @ask_above[%v](%v) : (i64) -> i64
  dfg.output %0 : i64
}
dfg.graph @grandparent(%v: i64) -> (v: i64) {
  %0 = dfg.node @parent(%v) : (i64) -> i64
  dfg.output %0 : i64
}
dfg.graph @grandabove(%v: i64) -> (v: i64) {
  %0 = dfg.node @above(%v) : (i64) -> i64
  dfg.output %0 : i64
}
dfg.graph @unknowns(%v: i64) -> (v: i64) {
  %0 = dfg.node @unknown(%v) : (i64) -> i64
  dfg.output %0 : i64
}
// CHECK-LABEL: dfg.graph @root
// CHECK: dfg.node @parent(%v) named("grandparent/parent")
// CHECK: dfg.node @grandabove(
// CHECK: dfg.node @unknowns(
dfg.graph @root(%v: i64) -> (v: i64, w: i64, u: i64) {
  %0 = dfg.node @grandparent(%v) : (i64) -> i64
  %1 = dfg.node @grandabove(%v) : (i64) -> i64
  %2 = dfg.node @unknowns(%v) : (i64) -> i64
  dfg.output %0, %1, %2 : i64, i64, i64
}
// CHECK: llvm.func @unknown.leaf
llvm.func @unknown.leaf(i64) -> !llvm.struct<(i64)>
llvm.func @llvm.hpvm.getNode() -> !llvm.ptr
llvm.func @llvm.hpvm.getParentNode(!llvm.ptr) -> !llvm.ptr
llvm.func @llvm.hpvm.getNumNodeInstances.x(!llvm.ptr) -> i64
llvm.func @parent.leaf(%v: i64) -> !llvm.struct<(i64)> {
  %self = llvm.call @llvm.hpvm.getNode() : () -> !llvm.ptr
  %parent = llvm.call @llvm.hpvm.getParentNode(%self) : (!llvm.ptr) -> !llvm.ptr
  %w = llvm.call @llvm.hpvm.getNumNodeInstances.x(%parent) : (!llvm.ptr) -> i64
  %u = llvm.mlir.undef : !llvm.struct<(i64)>
  %0 = llvm.insertvalue %w, %u[0] : !llvm.struct<(i64)>
  llvm.return %0 : !llvm.struct<(i64)>
}
llvm.func @above.leaf(%v: i64) -> !llvm.struct<(i64)> {
  %self = llvm.call @llvm.hpvm.getNode() : () -> !llvm.ptr
  %parent = llvm.call @llvm.hpvm.getParentNode(%self) : (!llvm.ptr) -> !llvm.ptr
  %above = llvm.call @llvm.hpvm.getParentNode(%parent) : (!llvm.ptr) -> !llvm.ptr
  %w = llvm.call @llvm.hpvm.getNumNodeInstances.x(%above) : (!llvm.ptr) -> i64
  %u = llvm.mlir.undef : !llvm.struct<(i64)>
  %0 = llvm.insertvalue %w, %u[0] : !llvm.struct<(i64)>
  llvm.return %0 : !llvm.struct<(i64)>
}

// -----

// A node of which an argument is all that it has, as an extent.
dfg.kernel @work() symbol("work.leaf")
dfg.graph @counted(%n: i64) {
  dfg.node @work[%n]() : () -> ()
  dfg.output
}
// CHECK-LABEL: dfg.graph @counts
// CHECK: dfg.node @work[%n]() named("counted/work")
dfg.graph @counts(%n: i64) {
  dfg.node @counted(%n) : (i64) -> ()
  dfg.output
}
llvm.func @work.leaf() {
  llvm.return
}

// -----

// The host pushes what the root's nodes take as a stream: that has to stay so.
dfg.kernel @step(%v: i64) -> (v: i64) symbol("step.leaf")
dfg.graph @agrees(%v: i64) -> (v: i64) {
  %0 = dfg.node @step(stream %v) : (i64) -> i64
  dfg.output stream %0 : i64
}
dfg.graph @differs(%v: i64) -> (v: i64) {
  %0 = dfg.node @step(%v) : (i64) -> i64
  dfg.output %0 : i64
}
dfg.graph @ignores(%v: i64, %w: i64) -> (v: i64) {
  %0 = dfg.node @step(stream %v) : (i64) -> i64
  dfg.output stream %0 : i64
}
// CHECK-LABEL: dfg.graph @root
// CHECK: dfg.node @step(stream %v) named("agrees/step")
// CHECK: dfg.node @differs(stream %v)
// CHECK: dfg.node @ignores(stream %v, stream %w)
dfg.graph @root(%v: i64, %w: i64) -> (v: i64, w: i64, u: i64) {
  %0 = dfg.node @agrees(stream %v) : (i64) -> i64
  %1 = dfg.node @differs(stream %v) : (i64) -> i64
  %2 = dfg.node @ignores(stream %v, stream %w) : (i64, i64) -> i64
  dfg.output stream %0, stream %1, stream %2 : i64, i64, i64
}
llvm.func @step.leaf(%v: i64) -> !llvm.struct<(i64)> {
  %u = llvm.mlir.undef : !llvm.struct<(i64)>
  %0 = llvm.insertvalue %v, %u[0] : !llvm.struct<(i64)>
  llvm.return %0 : !llvm.struct<(i64)>
}
