// A graph written by hand, with its leaf beside it and host code in C.
// RUN: %sluice run %s %S/Inputs/scale-host.c | FileCheck %s
// CHECK: ok 1023
// RUN: %sluice build %s --print=plan | FileCheck %s --check-prefix=PLAN
// PLAN: plan 'root', frame of 64 bytes
// PLAN: node 0 'root/inner' extents [256][4], units are the first 2 levels
// PLAN: node 1 'root/inner#2'
// PLAN: after node 0

dfg.kernel @scale(%x: !llvm.ptr inout, %bytes: i64) -> (done: i64) symbol("scale.leaf")
dfg.graph @inner(%x: !llvm.ptr inout, %bytes: i64, %n: i64) -> (done: i64) {
  %c = arith.constant 4 : i64
  %0 = dfg.node @scale[%c](%x, %bytes) : (!llvm.ptr, i64) -> i64
  dfg.output %0 : i64
}
dfg.graph @root(%x: !llvm.ptr inout, %bytes: i64) -> (done: i64) {
  %n = arith.constant 256 : i64
  %a = dfg.node @inner[%n](%x, %bytes, %bytes) : (!llvm.ptr, i64, i64) -> i64
  %b = dfg.node @inner[%n](%x, %bytes, %a) : (!llvm.ptr, i64, i64) -> i64
  dfg.output %b : i64
}
llvm.func @llvm.hpvm.getNode() -> !llvm.ptr
llvm.func @llvm.hpvm.getParentNode(!llvm.ptr) -> !llvm.ptr
llvm.func @llvm.hpvm.getNodeInstanceID.x(!llvm.ptr) -> i64
llvm.func @scale.leaf(%x: !llvm.ptr, %bytes: i64) -> !llvm.struct<(i64)> {
  %h = llvm.call @llvm.hpvm.getNode() : () -> !llvm.ptr
  %p = llvm.call @llvm.hpvm.getParentNode(%h) : (!llvm.ptr) -> !llvm.ptr
  %i = llvm.call @llvm.hpvm.getNodeInstanceID.x(%h) : (!llvm.ptr) -> i64
  %g = llvm.call @llvm.hpvm.getNodeInstanceID.x(%p) : (!llvm.ptr) -> i64
  %c4 = llvm.mlir.constant(4 : i64) : i64
  %m = llvm.mul %g, %c4 : i64
  %j = llvm.add %m, %i : i64
  %a = llvm.getelementptr %x[%j] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %v = llvm.load %a : !llvm.ptr -> f32
  %w = llvm.fadd %v, %v : f32
  llvm.store %w, %a : f32, !llvm.ptr
  %u = llvm.mlir.undef : !llvm.struct<(i64)>
  %r = llvm.insertvalue %j, %u[0] : !llvm.struct<(i64)>
  llvm.return %r : !llvm.struct<(i64)>
}
