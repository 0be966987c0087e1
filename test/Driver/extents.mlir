// Extents computed at launch: rounding divisions, and a division by zero, which
// ends the launch and not the process.
// RUN: split-file %s %t
// RUN: %sluice build %t/graph.mlir %t/host.c -o %t/app
// RUN: %t/app 10 4 | FileCheck %s
// CHECK: 3 instances
// RUN: %t/app 8 4 | FileCheck %s --check-prefix=EXACT
// EXACT: 2 instances
// RUN: not %t/app 8 0 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: sluice: error: {{.*}}'root/mark'

//--- graph.mlir
dfg.kernel @mark(%x: !llvm.ptr inout, %bytes: i64) symbol("mark.leaf")

dfg.graph @root(%x: !llvm.ptr inout, %bytes: i64, %n: i64, %step: i64) {
  %count = arith.ceildivsi %n, %step : i64
  %same = arith.divsi %n, %step : i64
  %most = arith.maxsi %count, %same : i64
  %none = arith.minsi %most, %same : i64
  %rest = arith.subi %most, %none : i64
  %all = arith.addi %none, %rest : i64
  dfg.node @mark[%all](%x, %bytes) : (!llvm.ptr, i64) -> ()
  dfg.output
}

llvm.func @llvm.hpvm.getNode() -> !llvm.ptr
llvm.func @llvm.hpvm.getNodeInstanceID.x(!llvm.ptr) -> i64
llvm.func @mark.leaf(%x: !llvm.ptr, %bytes: i64) -> !llvm.struct<()> {
  %self = llvm.call @llvm.hpvm.getNode() : () -> !llvm.ptr
  %i = llvm.call @llvm.hpvm.getNodeInstanceID.x(%self) : (!llvm.ptr) -> i64
  %at = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i32
  %one = llvm.mlir.constant(1 : i32) : i32
  llvm.store %one, %at : i32, !llvm.ptr
  %none = llvm.mlir.undef : !llvm.struct<()>
  llvm.return %none : !llvm.struct<()>
}

//--- host.c
#include "hpvm.h"
#include <stdio.h>
#include <stdlib.h>
void root(int *x, size_t bytes, long n, long step);
int main(int argc, char **argv) {
  static int x[100];
  struct __attribute__((packed)) {
    int *x;
    size_t bytes;
    long n, step;
  } arguments = {x, sizeof x, atol(argv[1]), atol(argv[2])};
  __hpvm__init();
  __hpvm__wait(__hpvm__launch(0, root, &arguments));
  __hpvm__cleanup();
  int sum = 0;
  for (int i = 0; i < 100; ++i)
    sum += x[i];
  printf("%d instances\n", sum);
  return 0;
}
