// What nobody needs goes; what anybody could notice stays.
// RUN: %sluice-opt --dfg-remove-dead --split-input-file %s | FileCheck %s

dfg.kernel @step(%v: i64) -> (v: i64) symbol("step.leaf")
dfg.kernel @two(%v: i64) -> (v: i64, w: i64) symbol("two.leaf")
dfg.kernel @ignore(%v: i64, %unused: i64) -> (v: i64) symbol("ignore.leaf")

// Dead nodes, and those that only they need, with the arithmetic for extents.
// CHECK-LABEL: dfg.graph @nodes
// CHECK-NEXT: %[[N:.*]] = dfg.node @step(%v)
// CHECK-NEXT: dfg.output %[[N]]
dfg.graph @nodes(%v: i64) -> (v: i64) {
  %c = arith.constant 4 : i64
  %n = arith.muli %v, %c : i64
  %0 = dfg.node @step(%v) : (i64) -> i64
  %1 = dfg.node @step[%n](%0) : (i64) -> i64
  %2 = dfg.node @step[%n](one_to_one %1) : (i64) -> i64
  dfg.output %0 : i64
}

// The order that a dead node made stays.
// CHECK-LABEL: dfg.graph @order
// CHECK-NEXT: %[[A:.*]]:2 = dfg.node @step(%v)
// CHECK-NEXT: %[[B:.*]] = dfg.node @step(%v) after(%[[A]]#1)
// CHECK-NEXT: dfg.output %[[A]]#0, %[[B]]
dfg.graph @order(%v: i64) -> (v: i64, w: i64) {
  %0 = dfg.node @step(%v) : (i64) -> i64
  %1, %t = dfg.node @step(%0) : (i64) -> (i64, !dfg.token)
  %2 = dfg.node @step(%v) after(%t) : (i64) -> i64
  dfg.output %0, %2 : i64, i64
}

// An input that a leaf does not read: the order of the edge stays, and with it
// the node that it came from; one from instance to instance stays as it is.
// CHECK-LABEL: dfg.graph @inputs
// CHECK: %[[A:.*]]:2 = dfg.node @step(%v)
// CHECK: dfg.node @ignore(%v) after(%[[A]]#1) : (i64) -> i64
dfg.graph @inputs(%v: i64) -> (v: i64, w: i64) {
  %0 = dfg.node @step(%v) : (i64) -> i64
  %1 = dfg.node @ignore(%v, %0) : (i64, i64) -> i64
  dfg.output %1, %0 : i64, i64
}

// Outputs that no node's user takes; those of roots stay.
// CHECK-LABEL: dfg.graph @outputs
// CHECK: %[[A:.*]] = dfg.node @two(%v) : (i64) -> i64
// CHECK: %[[B:.*]] = dfg.node @two[%v](%v) : (i64) -> i64
dfg.graph @outputs(%v: i64) -> (v: i64, w: i64) {
  %0, %1 = dfg.node @two(%v) : (i64) -> (i64, i64)
  %2, %3 = dfg.node @two[%v](%v) : (i64) -> (i64, i64)
  dfg.output %1, %3 : i64, i64
}

// Ports of internal nodes, and what is dead without them.
// CHECK-LABEL: dfg.graph @inner(%a: i64) -> (w: i64)
// CHECK-NEXT: %[[A:.*]] = dfg.node @step(%a)
// CHECK-NEXT: dfg.output %[[A]]
dfg.graph @inner(%a: i64, %b: i64) -> (v: i64, w: i64) {
  %0 = dfg.node @step(%b) : (i64) -> i64
  %1 = dfg.node @step(%a) : (i64) -> i64
  dfg.output %0, %1 : i64, i64
}
// CHECK-LABEL: dfg.graph @root
// CHECK: dfg.node @inner[%v](%v) : (i64) -> i64
dfg.graph @root(%v: i64, %w: i64) -> (v: i64) {
  %0, %1 = dfg.node @inner[%v](%v, %w) : (i64, i64) -> (i64, i64)
  dfg.output %1 : i64
}
// CHECK: llvm.func {{.*}}@two.needed(%{{.*}}: i64) -> !llvm.struct<(i64)>

llvm.func @step.leaf(%v: i64) -> !llvm.struct<(i64)> {
  %u = llvm.mlir.undef : !llvm.struct<(i64)>
  %0 = llvm.insertvalue %v, %u[0] : !llvm.struct<(i64)>
  llvm.return %0 : !llvm.struct<(i64)>
}
llvm.func @ignore.leaf(%v: i64, %w: i64) -> !llvm.struct<(i64)> {
  %u = llvm.mlir.undef : !llvm.struct<(i64)>
  %0 = llvm.insertvalue %v, %u[0] : !llvm.struct<(i64)>
  llvm.return %0 : !llvm.struct<(i64)>
}
llvm.func @two.leaf(%v: i64) -> !llvm.struct<(i64, i64)> {
  %w = llvm.add %v, %v : i64
  %u = llvm.mlir.undef : !llvm.struct<(i64, i64)>
  %0 = llvm.insertvalue %v, %u[0] : !llvm.struct<(i64, i64)>
  %1 = llvm.insertvalue %w, %0[1] : !llvm.struct<(i64, i64)>
  llvm.return %1 : !llvm.struct<(i64, i64)>
}

// -----

// Each of these could be noticed.
dfg.kernel @writes(%x: !llvm.ptr out, %bytes: i64) symbol("writes.leaf")
dfg.kernel @global(%v: i64) -> (v: i64) symbol("global.leaf")
dfg.kernel @atomic(%x: !llvm.ptr out, %bytes: i64) symbol("atomic.leaf")
dfg.kernel @prints(%v: i64) -> (v: i64) symbol("prints.leaf")
dfg.kernel @loops(%v: i64) -> (v: i64) symbol("loops.leaf")
dfg.kernel @volatile(%x: !llvm.ptr in, %bytes: i64) symbol("volatile.leaf")
dfg.kernel @unknown(%v: i64) -> (v: i64) symbol("unknown.leaf")
dfg.kernel @helper(%x: !llvm.ptr out, %bytes: i64) symbol("helper.leaf")
// These cannot.
dfg.kernel @own(%v: i64) -> (v: i64) symbol("own.leaf")
dfg.kernel @reads(%x: !llvm.ptr in, %bytes: i64) -> (v: i64) symbol("reads.leaf")

// CHECK-LABEL: dfg.graph @root
// CHECK-DAG: dfg.node @writes(
// CHECK-DAG: dfg.node @global(
// CHECK-DAG: dfg.node @atomic(
// CHECK-DAG: dfg.node @prints(
// CHECK-DAG: dfg.node @loops(
// CHECK-DAG: dfg.node @volatile(
// CHECK-DAG: dfg.node @unknown(
// CHECK-DAG: dfg.node @helper(
// CHECK-NOT: dfg.node @own(
// CHECK-NOT: dfg.node @reads(
// CHECK: dfg.output
dfg.graph @root(%x: !llvm.ptr inout, %bytes: i64, %v: i64) {
  dfg.node @writes(%x, %bytes) : (!llvm.ptr, i64) -> ()
  %0 = dfg.node @global(%v) : (i64) -> i64
  dfg.node @atomic(%x, %bytes) : (!llvm.ptr, i64) -> ()
  %1 = dfg.node @prints(%v) : (i64) -> i64
  %2 = dfg.node @loops(%v) : (i64) -> i64
  dfg.node @volatile(%x, %bytes) : (!llvm.ptr, i64) -> ()
  %3 = dfg.node @unknown(%v) : (i64) -> i64
  dfg.node @helper(%x, %bytes) : (!llvm.ptr, i64) -> ()
  %4 = dfg.node @own(%v) : (i64) -> i64
  %5 = dfg.node @reads(%x, %bytes) : (!llvm.ptr, i64) -> i64
  dfg.output
}
llvm.mlir.global internal @total(0 : i64) : i64
llvm.func @llvm.hpvm.atomic.add(!llvm.ptr, i32) -> i32
llvm.func @llvm.hpvm.malloc(i64) -> !llvm.ptr
llvm.func @puts(!llvm.ptr) -> i32
llvm.func @unknown.leaf(i64) -> !llvm.struct<(i64)>
llvm.func @writes.leaf(%x: !llvm.ptr, %bytes: i64) -> !llvm.struct<()> {
  llvm.store %bytes, %x : i64, !llvm.ptr
  %u = llvm.mlir.undef : !llvm.struct<()>
  llvm.return %u : !llvm.struct<()>
}
llvm.func internal @set(%x: !llvm.ptr, %v: i64) {
  llvm.store %v, %x : i64, !llvm.ptr
  llvm.return
}
llvm.func @helper.leaf(%x: !llvm.ptr, %bytes: i64) -> !llvm.struct<()> {
  llvm.call @set(%x, %bytes) : (!llvm.ptr, i64) -> ()
  %u = llvm.mlir.undef : !llvm.struct<()>
  llvm.return %u : !llvm.struct<()>
}
llvm.func @volatile.leaf(%x: !llvm.ptr, %bytes: i64) -> !llvm.struct<()> {
  %v = llvm.load volatile %x : !llvm.ptr -> i64
  %u = llvm.mlir.undef : !llvm.struct<()>
  llvm.return %u : !llvm.struct<()>
}
llvm.func @atomic.leaf(%x: !llvm.ptr, %bytes: i64) -> !llvm.struct<()> {
  %c = llvm.mlir.constant(1 : i32) : i32
  %v = llvm.call @llvm.hpvm.atomic.add(%x, %c) : (!llvm.ptr, i32) -> i32
  %u = llvm.mlir.undef : !llvm.struct<()>
  llvm.return %u : !llvm.struct<()>
}
llvm.func @global.leaf(%v: i64) -> !llvm.struct<(i64)> {
  %g = llvm.mlir.addressof @total : !llvm.ptr
  llvm.store %v, %g : i64, !llvm.ptr
  %u = llvm.mlir.undef : !llvm.struct<(i64)>
  llvm.return %u : !llvm.struct<(i64)>
}
llvm.func @prints.leaf(%v: i64) -> !llvm.struct<(i64)> {
  %g = llvm.mlir.addressof @total : !llvm.ptr
  %r = llvm.call @puts(%g) : (!llvm.ptr) -> i32
  %u = llvm.mlir.undef : !llvm.struct<(i64)>
  llvm.return %u : !llvm.struct<(i64)>
}
llvm.func @loops.leaf(%v: i64) -> !llvm.struct<(i64)> {
  llvm.br ^loop
^loop:
  %c = llvm.mlir.constant(1 : i64) : i64
  %more = llvm.icmp "eq" %v, %c : i64
  llvm.cond_br %more, ^loop, ^end
^end:
  %u = llvm.mlir.undef : !llvm.struct<(i64)>
  llvm.return %u : !llvm.struct<(i64)>
}
llvm.func @own.leaf(%v: i64) -> !llvm.struct<(i64)> {
  %one = llvm.mlir.constant(1 : i64) : i64
  %a = llvm.alloca %one x i64 : (i64) -> !llvm.ptr
  llvm.call @set(%a, %v) : (!llvm.ptr, i64) -> ()
  %m = llvm.call @llvm.hpvm.malloc(%v) : (i64) -> !llvm.ptr
  llvm.store %v, %m : i64, !llvm.ptr
  %w = llvm.load %a : !llvm.ptr -> i64
  %u = llvm.mlir.undef : !llvm.struct<(i64)>
  %0 = llvm.insertvalue %w, %u[0] : !llvm.struct<(i64)>
  llvm.return %0 : !llvm.struct<(i64)>
}
llvm.func @reads.leaf(%x: !llvm.ptr, %bytes: i64) -> !llvm.struct<(i64)> {
  %v = llvm.load %x : !llvm.ptr -> i64
  %u = llvm.mlir.undef : !llvm.struct<(i64)>
  %0 = llvm.insertvalue %v, %u[0] : !llvm.struct<(i64)>
  llvm.return %0 : !llvm.struct<(i64)>
}

// -----

// The host streams into the node.
dfg.kernel @step(%v: i64) -> (v: i64) symbol("step.leaf")
// CHECK-LABEL: dfg.graph @stream
// CHECK: dfg.node @step(stream %v)
dfg.graph @stream(%v: i64) {
  %0 = dfg.node @step(stream %v) : (i64) -> i64
  %1 = dfg.node @step(stream %0) : (i64) -> i64
  dfg.output
}
llvm.func @step.leaf(%v: i64) -> !llvm.struct<(i64)> {
  %u = llvm.mlir.undef : !llvm.struct<(i64)>
  %0 = llvm.insertvalue %v, %u[0] : !llvm.struct<(i64)>
  llvm.return %0 : !llvm.struct<(i64)>
}
