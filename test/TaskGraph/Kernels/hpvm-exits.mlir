// A leaf of a graph that is a task ends the process: the task is named, and the
// exit code says that the run did not reach its end.
//
// RUN: rm -rf %t && mkdir %t && cd %t && cp %S/Inputs/exits.c . && cp %s g.mlir
// RUN: not %sluice run g.mlir 2>&1 | FileCheck %s
// RUN: env SLUICE_WORKERS=1 not %sluice run g.mlir 2>&1 | FileCheck %s
//
// CHECK: task 'stopping' (root at g.mlir:{{.*}}): it called exit(0)
// CHECK-NOT: it called

dfg.dataset @A : f64 [16] printed
dfg.task_graph @stops {
  %0 = dfg.task hpvm "root"(@A) source("exits.c") named("stopping")
}
