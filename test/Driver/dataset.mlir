// Two nodes share a dataset; tokens order them. The first one doubles what it
// finds in 'x' into the dataset, the second one copies it back, twice.
// RUN: %sluice run %s %S/Inputs/scale-host.c | FileCheck %s
// CHECK: ok 7

dfg.dataset @scratch : f32 [1024]

dfg.kernel @double(%x: !llvm.ptr in, %bytes: i64, %s: !llvm.ptr out, %size: i64)
  symbol("double.leaf")
dfg.kernel @back(%s: !llvm.ptr in, %size: i64, %x: !llvm.ptr out, %bytes: i64)
  -> (done: i64) symbol("back.leaf")

dfg.graph @root(%x: !llvm.ptr inout, %bytes: i64) -> (done: i64) {
  %n = arith.constant 1024 : i64
  %s, %size = dfg.use_dataset @scratch : !llvm.ptr
  %t = dfg.node @double[%n](%x, %bytes, %s, %size)
    : (!llvm.ptr, i64, !llvm.ptr, i64) -> !dfg.token
  %done = dfg.node @back[%n](%s, %size, %x, %bytes) after(%t)
    : (!llvm.ptr, i64, !llvm.ptr, i64) -> i64
  dfg.output %done : i64
}

llvm.func @llvm.hpvm.getNode() -> !llvm.ptr
llvm.func @llvm.hpvm.getNodeInstanceID.x(!llvm.ptr) -> i64

llvm.func @double.leaf(%x: !llvm.ptr, %bytes: i64, %s: !llvm.ptr, %size: i64)
    -> !llvm.struct<()> {
  %self = llvm.call @llvm.hpvm.getNode() : () -> !llvm.ptr
  %i = llvm.call @llvm.hpvm.getNodeInstanceID.x(%self) : (!llvm.ptr) -> i64
  %from = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %to = llvm.getelementptr %s[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %v = llvm.load %from : !llvm.ptr -> f32
  %w = llvm.fadd %v, %v : f32
  llvm.store %w, %to : f32, !llvm.ptr
  %none = llvm.mlir.undef : !llvm.struct<()>
  llvm.return %none : !llvm.struct<()>
}

llvm.func @back.leaf(%s: !llvm.ptr, %size: i64, %x: !llvm.ptr, %bytes: i64)
    -> !llvm.struct<(i64)> {
  %self = llvm.call @llvm.hpvm.getNode() : () -> !llvm.ptr
  %i = llvm.call @llvm.hpvm.getNodeInstanceID.x(%self) : (!llvm.ptr) -> i64
  %from = llvm.getelementptr %s[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %to = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %v = llvm.load %from : !llvm.ptr -> f32
  %w = llvm.fadd %v, %v : f32
  llvm.store %w, %to : f32, !llvm.ptr
  %seven = llvm.mlir.constant(7 : i64) : i64
  %none = llvm.mlir.undef : !llvm.struct<(i64)>
  %done = llvm.insertvalue %seven, %none[0] : !llvm.struct<(i64)>
  llvm.return %done : !llvm.struct<(i64)>
}
