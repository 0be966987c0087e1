// Chains of nodes that become one node.
// RUN: %sluice-opt --dfg-fuse-nodes --split-input-file %s | FileCheck %s

// Values between the nodes become values of the new leaf; the pointer that both
// take is one port; what others use of the first node stays an output.
dfg.kernel @load(%x: !llvm.ptr in, %bytes: i64) -> (value: f32, twice: f32, place: i64) symbol("load.leaf")
dfg.kernel @store(%y: !llvm.ptr out, %size: i64, %x: !llvm.ptr out, %v: f32) -> (done: i64) symbol("store.leaf")

// CHECK: dfg.kernel @"load+store"(%x: !llvm.ptr inout, %bytes: i64, %y: !llvm.ptr out, %size: i64) -> (twice: f32, place: i64, done: i64) symbol("load+store.leaf")
// CHECK-LABEL: dfg.graph @chain
// CHECK-NEXT: %[[N:.*]]:3 = dfg.node @"load+store"[%n](%x, %bytes, %y, %size) named("load+store") :
// CHECK-NEXT: dfg.output %[[N]]#2, %[[N]]#0, %[[N]]#1
dfg.graph @chain(%x: !llvm.ptr inout, %bytes: i64, %y: !llvm.ptr out, %size: i64, %n: i64) -> (done: i64, twice: f32, place: i64) {
  %v, %w, %i = dfg.node @load[%n](%x, %bytes) : (!llvm.ptr, i64) -> (f32, f32, i64)
  %done = dfg.node @store[%n](%y, %size, %x, one_to_one %v) : (!llvm.ptr, i64, !llvm.ptr, f32) -> i64
  dfg.output %done, %w, %i : i64, f32, i64
}

// CHECK: llvm.func {{.*}}@"load+store.leaf"(%{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: !llvm.ptr, %{{.*}}: i64) -> !llvm.struct<(f32, i64, i64)>
// CHECK-COUNT-2: "llvm.hpvm.getNodeInstanceID.x"
// CHECK: llvm.return
llvm.func @llvm.hpvm.getNode() -> !llvm.ptr
llvm.func @llvm.hpvm.getNodeInstanceID.x(!llvm.ptr) -> i64
llvm.func @load.leaf(%x: !llvm.ptr, %bytes: i64) -> !llvm.struct<(f32, f32, i64)> {
  %self = llvm.call @llvm.hpvm.getNode() : () -> !llvm.ptr
  %i = llvm.call @llvm.hpvm.getNodeInstanceID.x(%self) : (!llvm.ptr) -> i64
  %at = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %v = llvm.load %at : !llvm.ptr -> f32
  %w = llvm.fadd %v, %v : f32
  %u = llvm.mlir.undef : !llvm.struct<(f32, f32, i64)>
  %0 = llvm.insertvalue %v, %u[0] : !llvm.struct<(f32, f32, i64)>
  %1 = llvm.insertvalue %w, %0[1] : !llvm.struct<(f32, f32, i64)>
  %2 = llvm.insertvalue %i, %1[2] : !llvm.struct<(f32, f32, i64)>
  llvm.return %2 : !llvm.struct<(f32, f32, i64)>
}
llvm.func @store.leaf(%y: !llvm.ptr, %size: i64, %x: !llvm.ptr, %v: f32) -> !llvm.struct<(i64)> {
  %self = llvm.call @llvm.hpvm.getNode() : () -> !llvm.ptr
  %i = llvm.call @llvm.hpvm.getNodeInstanceID.x(%self) : (!llvm.ptr) -> i64
  %at = llvm.getelementptr %y[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  llvm.store %v, %at : f32, !llvm.ptr
  %u = llvm.mlir.undef : !llvm.struct<(i64)>
  %0 = llvm.insertvalue %i, %u[0] : !llvm.struct<(i64)>
  llvm.return %0 : !llvm.struct<(i64)>
}

// -----

// Four in a row, with constant extents that are equal and others computed
// alike; a leaf that several nodes use is copied into each chain.
dfg.kernel @step(%v: i64) -> (v: i64) symbol("step.leaf")

// CHECK-LABEL: dfg.graph @row
// CHECK: %[[N:.*]] = dfg.node @"step+step+step+step"[%{{.*}}](%v) named("step+step+step+step")
// CHECK-NEXT: dfg.output %[[N]]
dfg.graph @row(%v: i64, %n: i64) -> (v: i64) {
  %c = arith.constant 2 : i64
  %e1 = arith.muli %n, %c : i64
  %e2 = arith.muli %n, %c : i64
  %0 = dfg.node @step[%e1](%v) : (i64) -> i64
  %1 = dfg.node @step[%e2](one_to_one %0) : (i64) -> i64
  %2 = dfg.node @step[%e1](one_to_one %1) : (i64) -> i64
  %3 = dfg.node @step[%e2](one_to_one %2) : (i64) -> i64
  dfg.output %3 : i64
}

// Two ways from the first to the last node, both one-to-one.
// CHECK-LABEL: dfg.graph @diamond
// CHECK: dfg.node @"step+step+step+sum"[%n](%v)
// CHECK-NEXT: dfg.output
dfg.kernel @sum(%a: i64, %b: i64) -> (v: i64) symbol("sum.leaf")
dfg.graph @diamond(%v: i64, %n: i64) -> (v: i64) {
  %0 = dfg.node @step[%n](%v) : (i64) -> i64
  %1 = dfg.node @step[%n](one_to_one %0) : (i64) -> i64
  %2 = dfg.node @step[%n](one_to_one %0) : (i64) -> i64
  %3 = dfg.node @sum[%n](one_to_one %1, one_to_one %2) : (i64, i64) -> i64
  dfg.output %3 : i64
}

// Single nodes in a row, one of them joined by a token.
// CHECK-LABEL: dfg.graph @single
// CHECK: dfg.node @"step+step+sum{{.*}}"(%v, %w) named("step+step+sum")
// CHECK-NEXT: dfg.output
dfg.graph @single(%v: i64, %w: i64) -> (v: i64) {
  %0, %t = dfg.node @step(%v) : (i64) -> (i64, !dfg.token)
  %1 = dfg.node @step(%0) : (i64) -> i64
  %2 = dfg.node @sum(%1, %w) : (i64, i64) -> i64
  dfg.output %2 : i64
}

// The second node also waits for what the first one waits for; whoever waited
// for the second waits for both.
// CHECK-LABEL: dfg.graph @tokens
// CHECK: %[[B:.*]]:2 = dfg.node @step[%n](%v)
// CHECK-NEXT: %[[F:.*]]:2 = dfg.node @"step+sum"[%n](%v, %[[B]]#0) after(%[[B]]#1) named("step+sum")
// CHECK-NEXT: dfg.node @step[%n](%v) after(%[[F]]#1)
dfg.graph @tokens(%v: i64, %n: i64) -> (v: i64, w: i64) {
  %b, %t = dfg.node @step[%n](%v) : (i64) -> (i64, !dfg.token)
  %0 = dfg.node @step[%n](%v) after(%t) : (i64) -> i64
  %1, %u = dfg.node @sum[%n](one_to_one %0, %b) : (i64, i64) -> (i64, !dfg.token)
  %2 = dfg.node @step[%n](%v) after(%u) : (i64) -> i64
  dfg.output %1, %2 : i64, i64
}

// Stages of a stream that write what items share, but take no time.
// CHECK-LABEL: dfg.graph @serial
// CHECK: dfg.node @"count+count{{.*}}"(stream %v, %x, %bytes, %y) named("count+count")
// CHECK-NEXT: dfg.output
dfg.kernel @count(%v: i64, %x: !llvm.ptr inout, %bytes: i64) -> (v: i64) symbol("count.leaf")
dfg.graph @serial(%v: i64, %x: !llvm.ptr inout, %bytes: i64, %y: !llvm.ptr inout) -> (v: i64) {
  %0 = dfg.node @count(stream %v, %x, %bytes) : (i64, !llvm.ptr, i64) -> i64
  %1 = dfg.node @count(stream %0, %y, %bytes) : (i64, !llvm.ptr, i64) -> i64
  dfg.output stream %1 : i64
}

llvm.func @count.leaf(%v: i64, %x: !llvm.ptr, %bytes: i64) -> !llvm.struct<(i64)> {
  llvm.store %v, %x : i64, !llvm.ptr
  %u = llvm.mlir.undef : !llvm.struct<(i64)>
  %0 = llvm.insertvalue %v, %u[0] : !llvm.struct<(i64)>
  llvm.return %0 : !llvm.struct<(i64)>
}
llvm.func @step.leaf(%v: i64) -> !llvm.struct<(i64)> {
  %w = llvm.add %v, %v : i64
  %u = llvm.mlir.undef : !llvm.struct<(i64)>
  %0 = llvm.insertvalue %w, %u[0] : !llvm.struct<(i64)>
  llvm.return %0 : !llvm.struct<(i64)>
}
llvm.func @sum.leaf(%a: i64, %b: i64) -> !llvm.struct<(i64)> {
  %w = llvm.add %a, %b : i64
  %u = llvm.mlir.undef : !llvm.struct<(i64)>
  %0 = llvm.insertvalue %w, %u[0] : !llvm.struct<(i64)>
  llvm.return %0 : !llvm.struct<(i64)>
}
