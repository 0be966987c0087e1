// Reductions that only the ports of kernels speak of: the leaves are plain
// code. Then text in which port and leaf disagree, or neither is complete.
// RUN: split-file %s %t
// RUN: %sluice check %t/good.mlir %S/Inputs/fold-host.c 2>&1 | FileCheck %s --check-prefix=VERDICT
// VERDICT: proven free of races
// RUN: env SLUICE_WORKERS=1 %sluice run %t/good.mlir %S/Inputs/fold-host.c > %t/one
// RUN: env SLUICE_WORKERS=3 %sluice run %t/good.mlir %S/Inputs/fold-host.c > %t/three
// RUN: env SLUICE_CHECK=1 %sluice run %t/good.mlir %S/Inputs/fold-host.c > %t/checked
// RUN: env SLUICE_EXECUTOR=sequential %sluice run %t/good.mlir %S/Inputs/fold-host.c > %t/serial
// RUN: cmp %t/one %t/three
// RUN: cmp %t/one %t/checked
// RUN: cmp %t/one %t/serial
// RUN: FileCheck %s < %t/one
// CHECK: right
// RUN: %sluice build %t/good.mlir %S/Inputs/fold-host.c --print=dfg | FileCheck %s --check-prefix=GRAPH
// GRAPH: dfg.kernel @fold(%x: !llvm.ptr in, %bytes: i64, %sum: !llvm.ptr reduce(sum f64, 8), %best: !llvm.ptr reduce(max i32, %best_bytes), %best_bytes: i64)
// RUN: not %sluice check %t/unlike.mlir 2>&1 | FileCheck %s --check-prefix=UNLIKE
// UNLIKE: error: kernel 'fold' marks input 'sum' as 'reduce(sum f64, 8)', but the leaf says 'reduce(product f64, 8)'; let both say the same, or only one of them
// RUN: not %sluice check %t/size.mlir 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: error: kernel 'fold' says nothing of the size of input 'sum', and neither does the leaf; write 'reduce(sum f64, %bytes)'
// RUN: not %sluice check %t/reads.mlir 2>&1 | FileCheck %s --check-prefix=READS
// READS: error: kernel 'fold' marks input 'sum' as a reduction, but the leaf writes an element without updating it with 'sum'
// RUN: not %sluice check %t/with.mlir 2>&1 | FileCheck %s --check-prefix=WITH
// WITH: error: kernel 'fold' names the functions 'none' and 'closer', of which the leaf code does not define both
// RUN: env SLUICE_WORKERS=2 %sluice run %t/scan.mlir %S/Inputs/scan-host.c | FileCheck %s --check-prefix=SCAN
// SCAN: 1 3 6 10 15
// RUN: not %sluice check %t/other.mlir 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error: kernel 'prefix' marks input 'to' as a scan, but the leaf uses another element than that of the instance

//--- scan.mlir
dfg.kernel @prefix(%to: !llvm.ptr scan(sum i64, %bytes), %bytes: i64) symbol("leaf")
dfg.graph @root(%to: !llvm.ptr inout, %bytes: i64, %n: i64) {
  dfg.node @prefix[%n](%to, %bytes) : (!llvm.ptr, i64) -> ()
  dfg.output
}
llvm.func @llvm.hpvm.getNode() -> !llvm.ptr
llvm.func @llvm.hpvm.getNodeInstanceID.x(!llvm.ptr) -> i64
llvm.func @leaf(%to: !llvm.ptr, %bytes: i64) -> !llvm.struct<()> {
  %h = llvm.call @llvm.hpvm.getNode() : () -> !llvm.ptr
  %i = llvm.call @llvm.hpvm.getNodeInstanceID.x(%h) : (!llvm.ptr) -> i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %v = llvm.add %i, %one : i64
  %a = llvm.getelementptr %to[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  llvm.store %v, %a : i64, !llvm.ptr
  %u = llvm.mlir.undef : !llvm.struct<()>
  llvm.return %u : !llvm.struct<()>
}

//--- other.mlir
dfg.kernel @prefix(%to: !llvm.ptr scan(sum i64, %bytes), %bytes: i64) symbol("leaf")
dfg.graph @root(%to: !llvm.ptr inout, %bytes: i64, %n: i64) {
  dfg.node @prefix[%n](%to, %bytes) : (!llvm.ptr, i64) -> ()
  dfg.output
}
llvm.func @leaf(%to: !llvm.ptr, %bytes: i64) -> !llvm.struct<()> {
  llvm.store %bytes, %to : i64, !llvm.ptr
  %u = llvm.mlir.undef : !llvm.struct<()>
  llvm.return %u : !llvm.struct<()>
}

//--- good.mlir
dfg.kernel @fold(%x: !llvm.ptr in, %bytes: i64, %sum: !llvm.ptr reduce(sum f64, 8), %best: !llvm.ptr reduce(max i32, %best_bytes), %best_bytes: i64) symbol("leaf")
dfg.graph @root(%x: !llvm.ptr in, %bytes: i64, %sum: !llvm.ptr inout, %sum_bytes: i64, %best: !llvm.ptr inout, %best_bytes: i64, %n: i64) {
  dfg.node @fold[%n](%x, %bytes, %sum, %best, %best_bytes) : (!llvm.ptr, i64, !llvm.ptr, !llvm.ptr, i64) -> ()
  dfg.output
}
llvm.func @llvm.hpvm.getNode() -> !llvm.ptr
llvm.func @llvm.hpvm.getNodeInstanceID.x(!llvm.ptr) -> i64
llvm.func @leaf(%x: !llvm.ptr, %bytes: i64, %sum: !llvm.ptr, %best: !llvm.ptr, %best_bytes: i64) -> !llvm.struct<()> {
  %h = llvm.call @llvm.hpvm.getNode() : () -> !llvm.ptr
  %i = llvm.call @llvm.hpvm.getNodeInstanceID.x(%h) : (!llvm.ptr) -> i64
  %a = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %v = llvm.load %a : !llvm.ptr -> f64
  %old = llvm.load %sum : !llvm.ptr -> f64
  %new = llvm.fadd %old, %v : f64
  llvm.store %new, %sum : f64, !llvm.ptr
  %three = llvm.mlir.constant(3 : i64) : i64
  %k = llvm.urem %i, %three : i64
  %b = llvm.getelementptr %best[%k] : (!llvm.ptr, i64) -> !llvm.ptr, i32
  %w = llvm.fptosi %v : f64 to i32
  %least = llvm.load %b : !llvm.ptr -> i32
  %most = llvm.intr.smax(%least, %w) : (i32, i32) -> i32
  llvm.store %most, %b : i32, !llvm.ptr
  %u = llvm.mlir.undef : !llvm.struct<()>
  llvm.return %u : !llvm.struct<()>
}

//--- unlike.mlir
dfg.kernel @fold(%sum: !llvm.ptr reduce(sum f64, 8)) symbol("leaf")
dfg.graph @root(%sum: !llvm.ptr inout, %n: i64) {
  dfg.node @fold[%n](%sum) : (!llvm.ptr) -> ()
  dfg.output
}
llvm.func @llvm.hpvm.reduce.f64(!llvm.ptr, i64, i32)
llvm.func @leaf(%sum: !llvm.ptr) -> !llvm.struct<()> {
  %bytes = llvm.mlir.constant(8 : i64) : i64
  %op = llvm.mlir.constant(1 : i32) : i32
  llvm.call @llvm.hpvm.reduce.f64(%sum, %bytes, %op) : (!llvm.ptr, i64, i32) -> ()
  %u = llvm.mlir.undef : !llvm.struct<()>
  llvm.return %u : !llvm.struct<()>
}

//--- size.mlir
dfg.kernel @fold(%sum: !llvm.ptr reduce(sum f64)) symbol("leaf")
dfg.graph @root(%sum: !llvm.ptr inout, %n: i64) {
  dfg.node @fold[%n](%sum) : (!llvm.ptr) -> ()
  dfg.output
}
llvm.func @leaf(%sum: !llvm.ptr) -> !llvm.struct<()> {
  %u = llvm.mlir.undef : !llvm.struct<()>
  llvm.return %u : !llvm.struct<()>
}

//--- reads.mlir
dfg.kernel @fold(%sum: !llvm.ptr reduce(sum f64, 8)) symbol("leaf")
dfg.graph @root(%sum: !llvm.ptr inout, %n: i64) {
  dfg.node @fold[%n](%sum) : (!llvm.ptr) -> ()
  dfg.output
}
llvm.func @leaf(%sum: !llvm.ptr) -> !llvm.struct<()> {
  %one = llvm.mlir.constant(1.0 : f64) : f64
  llvm.store %one, %sum : f64, !llvm.ptr
  %u = llvm.mlir.undef : !llvm.struct<()>
  llvm.return %u : !llvm.struct<()>
}

//--- with.mlir
dfg.kernel @fold(%sum: !llvm.ptr reduce(with @none @closer 16, 16)) symbol("leaf")
dfg.graph @root(%sum: !llvm.ptr inout, %n: i64) {
  dfg.node @fold[%n](%sum) : (!llvm.ptr) -> ()
  dfg.output
}
llvm.func @leaf(%sum: !llvm.ptr) -> !llvm.struct<()> {
  %u = llvm.mlir.undef : !llvm.struct<()>
  llvm.return %u : !llvm.struct<()>
}
