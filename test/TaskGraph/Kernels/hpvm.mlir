// Graphs of HPVM programs as tasks, with and without host code. Two programs
// may have functions of the same names, and the task graph the root's.
//
// RUN: rm -rf %t && mkdir %t && cd %t && cp %S/Inputs/graphs.c .
// RUN: sed -e 's/bias = 0.5/bias = 0.25/' graphs.c > others.c
// RUN: cp %s graph.mlir && %sluice run graph.mlir | FileCheck %s
// RUN: sed -e 's/source("graphs.c")/source("graphs.c") flags(["-DNO_HOST"])/' %s > bare.mlir
// RUN: %sluice run bare.mlir | FileCheck %s
// RUN: env SLUICE_WORKERS=1 %sluice run graph.mlir | FileCheck %s
// RUN: sed -e 's/ source("graphs.c")//' %s > listed.mlir
// RUN: %sluice run listed.mlir graphs.c | FileCheck %s
//
// CHECK: A =
// CHECK-NEXT: 2.5 -3.5
// CHECK-NEXT: 6.5 8.5
// CHECK-NEXT: 10.5 -11.5
// CHECK-NEXT: B =
// CHECK-NEXT: 5.25 -6.75
// CHECK-NEXT: 13.25 17.25
// CHECK-NEXT: 21.25 -22.75

dfg.dataset @A : f64 [3, 2] initial(dense<[[1.0, -2.0], [3.0, 4.0], [5.0, -6.0]]> : tensor<3x2xf64>) printed
dfg.dataset @B : f64 [3, 2] printed
dfg.scalar @factor : f64 = 2.0
dfg.task_graph @root {
  %0 = dfg.task hpvm "root"(@A, value @factor) source("graphs.c")
  %1 = dfg.task hpvm "copy"(in @A, out @B) source("graphs.c")
  %2 = dfg.task hpvm "root"(@B, value @factor) source("others.c")
}
