// Explicit reads of what nothing has written.
// RUN: not sluice check %s 2>&1 | FileCheck %s --implicit-check-not=error:

dfg.dataset @a : f64 [8]
dfg.dataset @given : f64 [8] initial(dense<0.0> : tensor<8xf64>)
dfg.dataset @halves : f64 [8]
dfg.dataset @empty : f64 [0]
dfg.scalar @n : f64
dfg.scalar @one : f64 = 1.0
dfg.kernel_source "Inputs/kernels.c"
dfg.task_graph @g {
  // CHECK: reads.mlir:[[#@LINE+3]]:{{[0-9]+}}: error: task 'early' reads 'a', which has no value yet: no task before it writes there, and it has no initial value
  // CHECK: reads.mlir:[[#@LINE-9]]:{{[0-9]+}}: note: 'a' is declared here
  // CHECK: reads.mlir:[[#@LINE+2]]:{{[0-9]+}}: note: 'write' writes it, but is created after 'early'
  dfg.task c "one"(in @a) named("early")
  dfg.task c "one"(out @a) named("write")
  dfg.task c "one"(in @a) named("late")
  dfg.task c "one"(in @given)
  dfg.task c "one"(in @empty)
  dfg.task c "number"(value @one)

  // CHECK: error: task 'number#2' reads 'n' by value, which has no value yet
  dfg.task c "number"(value @n)
  dfg.task c "pointer"(@n)
  dfg.task c "number"(value @n)

  // Parts: nothing of them, some, and all.
  dfg.task c "one"(@halves[0:8:2]) named("even")
  // CHECK: error: task 'odd' reads a part of 'halves', which has no value yet
  dfg.task c "one"(in @halves[1:8:2]) named("odd")
  // CHECK: remark: task 'all' reads elements of 'halves' that no task before it writes: they are 0
  dfg.task c "one"(in @halves) named("all")
  // CHECK-NOT: remark: task 'fourth'
  dfg.task c "one"(in @halves[0:8:4]) named("fourth")
}
