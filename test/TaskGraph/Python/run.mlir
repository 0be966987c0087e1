// REQUIRES: python-tasks
// RUN: env SLUICE_WORKERS=1 %sluice run %s > %t
// RUN: FileCheck %s --input-file=%t
// RUN: env SLUICE_WORKERS=4 %sluice run %s | diff %t -
// RUN: %sluice build %s -o %t.exe && cd / && env PYTHONHOME=/nowhere %t.exe | diff %t -

dfg.dataset @A : f64 [3, 2] initial(dense<[[1.0, -2.0], [3.0, 4.0], [5.0, -6.0]]> : tensor<3x2xf64>) printed
dfg.scalar @n : si32 = 2
dfg.scalar @sum : f64
dfg.object @state

// CHECK: the sum is -4.0
dfg.task_graph @run python_path("Inputs") {
  %s = dfg.task python "solve" of "kern"(@state, in @A[0:3:2, 0:2], value @n)
  %t = dfg.task python "show" of "kern"(@state, out @sum)
  %u = dfg.task python "scale" of "kern"(@A[1:2, 0:2], value @n)
}
