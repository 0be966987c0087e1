// Two nodes share a dataset; only a token orders them.
// RUN: split-file %s %t
// RUN: cat %t/racy.mlir %t/leaves.mlir > %t/1.mlir
// RUN: not sluice check %t/1.mlir 2>&1 | FileCheck %t/racy.mlir
// RUN: cat %t/fixed.mlir %t/leaves.mlir > %t/2.mlir
// RUN: sluice check %t/2.mlir 2>&1 | FileCheck %t/fixed.mlir

//--- racy.mlir
// CHECK: 1.mlir:[[@LINE+8]]:{{[0-9]+}}: error: 'load' reads dataset 'scratch' here, and 'store' writes it, but no edge orders the two; add an edge from 'store' to 'load' [race]
// CHECK: 1.mlir:[[@LINE+6]]:{{[0-9]+}}: note: 'store' writes it here
dfg.dataset @scratch : f32 [1024]

dfg.graph @root(%x: !llvm.ptr inout, %bytes: i64) {
  %n = arith.constant 1024 : i64
  %s, %size = dfg.use_dataset @scratch : !llvm.ptr
  dfg.node @store[%n](%s, %size) : (!llvm.ptr, i64) -> ()
  dfg.node @load[%n](%s, %size, %x, %bytes)
    : (!llvm.ptr, i64, !llvm.ptr, i64) -> ()
  dfg.output
}

//--- fixed.mlir
// CHECK-NOT: {{error|remark}}
// CHECK: proven free of races
dfg.dataset @scratch : f32 [1024]

dfg.graph @root(%x: !llvm.ptr inout, %bytes: i64) {
  %n = arith.constant 1024 : i64
  %s, %size = dfg.use_dataset @scratch : !llvm.ptr
  %t = dfg.node @store[%n](%s, %size) : (!llvm.ptr, i64) -> !dfg.token
  dfg.node @load[%n](%s, %size, %x, %bytes) after(%t)
    : (!llvm.ptr, i64, !llvm.ptr, i64) -> ()
  dfg.output
}

//--- leaves.mlir
dfg.kernel @store(%s: !llvm.ptr out, %size: i64) symbol("store.leaf")
dfg.kernel @load(%s: !llvm.ptr in, %size: i64, %x: !llvm.ptr out, %bytes: i64)
  symbol("load.leaf")

llvm.func @llvm.hpvm.getNode() -> !llvm.ptr
llvm.func @llvm.hpvm.getNodeInstanceID.x(!llvm.ptr) -> i64

llvm.func @store.leaf(%s: !llvm.ptr, %size: i64) -> !llvm.struct<()> {
  %self = llvm.call @llvm.hpvm.getNode() : () -> !llvm.ptr
  %i = llvm.call @llvm.hpvm.getNodeInstanceID.x(%self) : (!llvm.ptr) -> i64
  %to = llvm.getelementptr %s[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %one = llvm.mlir.constant(1.0 : f32) : f32
  llvm.store %one, %to : f32, !llvm.ptr
  %none = llvm.mlir.undef : !llvm.struct<()>
  llvm.return %none : !llvm.struct<()>
}

llvm.func @load.leaf(%s: !llvm.ptr, %size: i64, %x: !llvm.ptr, %bytes: i64)
    -> !llvm.struct<()> {
  %self = llvm.call @llvm.hpvm.getNode() : () -> !llvm.ptr
  %i = llvm.call @llvm.hpvm.getNodeInstanceID.x(%self) : (!llvm.ptr) -> i64
  %from = llvm.getelementptr %s[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %to = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %v = llvm.load %from : !llvm.ptr -> f32
  llvm.store %v, %to : f32, !llvm.ptr
  %none = llvm.mlir.undef : !llvm.struct<()>
  llvm.return %none : !llvm.struct<()>
}
