// Ports of kernels that are reductions and scans: their text, there and back.
// RUN: sluice-opt %s | FileCheck %s
// RUN: sluice-opt %s | sluice-opt | FileCheck %s
// RUN: sluice-opt %s --mlir-print-op-generic | sluice-opt | FileCheck %s

// CHECK: dfg.kernel @dot(%x: !llvm.ptr in, %sum: !llvm.ptr reduce(sum f64, %bytes), %bytes: i64) target(cpu)
dfg.kernel @dot(%x: !llvm.ptr in, %sum: !llvm.ptr reduce(sum f64, %bytes), %bytes: i64) target(cpu)

// CHECK: dfg.kernel @bits(%m: !llvm.ptr reduce(max ui32, 64), %b: !llvm.ptr reduce(xor i8))
dfg.kernel @bits(%m: !llvm.ptr reduce(max ui32, 64), %b: !llvm.ptr reduce(xor i8))

// CHECK: dfg.kernel @best(%b: !llvm.ptr reduce(with @none @closer 16, %n), %n: i64)
dfg.kernel @best(%b: !llvm.ptr reduce(with @none @closer 16, %n), %n: i64)

// CHECK: dfg.kernel @prefix(%to: !llvm.ptr scan(min f32, %n), %from: !llvm.ptr exclusive_scan(sum i64, %n), %n: i64)
dfg.kernel @prefix(%to: !llvm.ptr scan(min f32, %n), %from: !llvm.ptr exclusive_scan(sum i64, %n), %n: i64)
