// Chains that stay chains, each for one reason.
// RUN: %sluice-opt --dfg-fuse-nodes --split-input-file %s | FileCheck %s
// CHECK: dfg.graph @all_to_all
// CHECK-NOT: +

dfg.kernel @step(%v: i64) -> (v: i64) symbol("step.leaf")
dfg.kernel @sum(%a: i64, %b: i64) -> (v: i64) symbol("sum.leaf")
dfg.kernel @wait(%v: i64) -> (v: i64) symbol("wait.leaf")
dfg.kernel @device(%v: i64) -> (v: i64) target(gpu) symbol("step.leaf")
dfg.kernel @elsewhere(%v: i64) -> (v: i64) symbol("elsewhere.leaf")

// The second node waits for all instances of the first.
dfg.graph @all_to_all(%v: i64, %n: i64) -> (v: i64) {
  %0 = dfg.node @step[%n](%v) : (i64) -> i64
  %1 = dfg.node @step[%n](%0) : (i64) -> i64
  dfg.output %1 : i64
}

// ... as a token says.
dfg.graph @token(%v: i64, %n: i64) -> (v: i64) {
  %0, %t = dfg.node @step[%n](%v) : (i64) -> (i64, !dfg.token)
  %1 = dfg.node @step[%n](one_to_one %0) after(%t) : (i64) -> i64
  dfg.output %1 : i64
}

// ... as another edge says.
dfg.graph @two_edges(%v: i64, %n: i64) -> (v: i64) {
  %0 = dfg.node @step[%n](%v) : (i64) -> i64
  %1 = dfg.node @sum[%n](one_to_one %0, %0) : (i64, i64) -> i64
  dfg.output %1 : i64
}

// Whether the grids are equal is seen when the program runs, which then says
// that they are not.
dfg.graph @grids(%v: i64, %n: i64, %m: i64) -> (v: i64) {
  %0 = dfg.node @step[%n](%v) : (i64) -> i64
  %1 = dfg.node @step[%m](one_to_one %0) : (i64) -> i64
  dfg.output %1 : i64
}

// A barrier is for the instances of one leaf.
dfg.graph @barrier(%v: i64, %n: i64) -> (v: i64) {
  %0 = dfg.node @wait[%n](%v) : (i64) -> i64
  %1 = dfg.node @step[%n](one_to_one %0) : (i64) -> i64
  dfg.output %1 : i64
}

// The nodes run on different devices.
dfg.graph @targets(%v: i64, %n: i64) -> (v: i64) {
  %0 = dfg.node @step[%n](%v) : (i64) -> i64
  %1 = dfg.node @device[%n](one_to_one %0) : (i64) -> i64
  dfg.output %1 : i64
}

// The code of the leaf is not here.
dfg.graph @code(%v: i64, %n: i64) -> (v: i64) {
  %0 = dfg.node @elsewhere[%n](%v) : (i64) -> i64
  %1 = dfg.node @step[%n](one_to_one %0) : (i64) -> i64
  dfg.output %1 : i64
}

// The first node could run while another one that the second waits for does.
dfg.graph @other_source(%v: i64, %n: i64) -> (v: i64) {
  %0 = dfg.node @wait[%n](%v) : (i64) -> i64
  %1 = dfg.node @step[%n](%v) : (i64) -> i64
  %2 = dfg.node @sum[%n](one_to_one %1, %0) : (i64, i64) -> i64
  dfg.output %2 : i64
}

// The second node waits for all of what the first waits for one by one.
dfg.graph @later_source(%v: i64, %n: i64) -> (v: i64) {
  %0 = dfg.node @wait[%n](%v) : (i64) -> i64
  %1 = dfg.node @step[%n](one_to_one %0) : (i64) -> i64
  %2 = dfg.node @sum[%n](one_to_one %1, %0) : (i64, i64) -> i64
  dfg.output %2 : i64
}

// A third node that waits for all of the first would wait for the second.
dfg.graph @other_sink(%v: i64, %n: i64) -> (v: i64, w: i64) {
  %0 = dfg.node @step[%n](%v) : (i64) -> i64
  %1 = dfg.node @step[%n](one_to_one %0) : (i64) -> i64
  %2 = dfg.node @wait[%n](%0) : (i64) -> i64
  dfg.output %1, %2 : i64, i64
}

// So would one that runs beside a single node.
dfg.graph @single(%v: i64) -> (v: i64, w: i64) {
  %0 = dfg.node @step(%v) : (i64) -> i64
  %1 = dfg.node @step(%0) : (i64) -> i64
  %2 = dfg.node @step(%0) : (i64) -> i64
  dfg.output %1, %2 : i64, i64
}

// A path through another node.
dfg.graph @path(%v: i64, %n: i64) -> (v: i64) {
  %0 = dfg.node @step[%n](%v) : (i64) -> i64
  %1 = dfg.node @wait[%n](one_to_one %0) : (i64) -> i64
  %2 = dfg.node @sum[%n](one_to_one %0, %1) : (i64, i64) -> i64
  dfg.output %2 : i64
}

llvm.func @llvm.hpvm.barrier()
llvm.func @elsewhere.leaf(i64) -> !llvm.struct<(i64)>
llvm.func @step.leaf(%v: i64) -> !llvm.struct<(i64)> {
  %u = llvm.mlir.undef : !llvm.struct<(i64)>
  %0 = llvm.insertvalue %v, %u[0] : !llvm.struct<(i64)>
  llvm.return %0 : !llvm.struct<(i64)>
}
llvm.func @wait.leaf(%v: i64) -> !llvm.struct<(i64)> {
  llvm.call @llvm.hpvm.barrier() : () -> ()
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

// Two stages of a stream that write what items share, and may take long: the
// one works on an item while the other works on the next.
dfg.kernel @count(%v: i64, %x: !llvm.ptr inout, %bytes: i64) -> (v: i64) symbol("count.leaf")
dfg.kernel @global(%v: i64) -> (v: i64) symbol("global.leaf")
dfg.graph @shared_argument(%v: i64, %x: !llvm.ptr inout, %bytes: i64) -> (v: i64) {
  %0 = dfg.node @count(stream %v, %x, %bytes) : (i64, !llvm.ptr, i64) -> i64
  %1 = dfg.node @count(stream %0, %x, %bytes) : (i64, !llvm.ptr, i64) -> i64
  dfg.output stream %1 : i64
}
dfg.graph @shared_global(%v: i64) -> (v: i64) {
  %0 = dfg.node @global(stream %v) : (i64) -> i64
  %1 = dfg.node @global(stream %0) : (i64) -> i64
  dfg.output stream %1 : i64
}
dfg.graph @nested(%v: i64) -> (v: i64) {
  %0 = dfg.node @global(%v) : (i64) -> i64
  %1 = dfg.node @global(%0) : (i64) -> i64
  dfg.output %1 : i64
}
dfg.graph @root(%v: i64) -> (v: i64) {
  %0 = dfg.node @nested(stream %v) : (i64) -> i64
  dfg.output stream %0 : i64
}
llvm.mlir.global internal @total(0 : i64) : i64
llvm.func @count.leaf(%v: i64, %x: !llvm.ptr, %bytes: i64) -> !llvm.struct<(i64)> {
  llvm.br ^loop
^loop:
  %old = llvm.load %x : !llvm.ptr -> i64
  llvm.store %v, %x : i64, !llvm.ptr
  %again = llvm.icmp "ne" %old, %v : i64
  llvm.cond_br %again, ^loop, ^end
^end:
  %u = llvm.mlir.undef : !llvm.struct<(i64)>
  %0 = llvm.insertvalue %v, %u[0] : !llvm.struct<(i64)>
  llvm.return %0 : !llvm.struct<(i64)>
}
llvm.func @global.leaf(%v: i64) -> !llvm.struct<(i64)> {
  %g = llvm.mlir.addressof @total : !llvm.ptr
  llvm.br ^loop
^loop:
  %old = llvm.load %g : !llvm.ptr -> i64
  llvm.store %v, %g : i64, !llvm.ptr
  %again = llvm.icmp "ne" %old, %v : i64
  llvm.cond_br %again, ^loop, ^end
^end:
  %u = llvm.mlir.undef : !llvm.struct<(i64)>
  %0 = llvm.insertvalue %v, %u[0] : !llvm.struct<(i64)>
  llvm.return %0 : !llvm.struct<(i64)>
}
