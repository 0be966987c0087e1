// Nodes have effects: passes may neither merge equal nodes nor drop unused
// ones.
// RUN: sluice-opt %s --cse --canonicalize --symbol-dce | FileCheck %s

dfg.kernel @step(%x: !llvm.ptr inout, %bytes: i64) -> (done: i64)

// CHECK-LABEL: dfg.graph @root
// CHECK-COUNT-2: dfg.node @step
// CHECK-NOT: dfg.node
// CHECK: dfg.output
dfg.graph @root(%x: !llvm.ptr inout, %bytes: i64) {
  %0 = dfg.node @step(%x, %bytes) : (!llvm.ptr, i64) -> i64
  %1 = dfg.node @step(%x, %bytes) : (!llvm.ptr, i64) -> i64
  dfg.output
}
