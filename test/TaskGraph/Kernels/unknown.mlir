// Without debug information the form that always works is called, one and the
// same for all tasks, with sizes that 'int' holds.
//
// RUN: rm -rf %t && split-file --leading-lines %s %t && cd %t
// RUN: %clang -O2 -c kernels.c
// RUN: not %sluice check graph.mlir kernels.o 2>&1 | FileCheck %s

//--- kernels.c
void vector(double *b, double *f, int o, int n, int s) {}
void scalar(int x) {}

//--- graph.mlir
dfg.dataset @v : f64 [6]
dfg.dataset @w : f32 [6]
dfg.dataset @large : f64 [3000000000]
dfg.scalar @i : si32 = 1
dfg.scalar @l : si64 = 1
dfg.task_graph @wrong {
  %0 = dfg.task c "vector"(@v)
// CHECK: graph.mlir:[[#@LINE+2]]:{{.*}}error: calls 'void vector(float *w_base, {{.*}})', but another task calls 'void vector(double *v_base, {{.*}})', and 'kernels.o' does not say which is right; compile it with -g
// CHECK: graph.mlir:[[#@LINE-2]]:{{.*}}note: the other task is here
  %1 = dfg.task c "vector"(@w)
// CHECK: error: the extent of dimension 0 of 'large' is 3000000000, which parameters of type 'int' do not hold, and what 'vector' takes is not known; compile it with -g, or say that the task takes large sizes
  %2 = dfg.task c "vector"(@large)
  %3 = dfg.task c "vector"(@large) takes_large_sizes
  %4 = dfg.task c "scalar"(value @i)
// CHECK: error: calls 'void scalar(int64_t l)', but another task calls 'void scalar(int32_t i)'
  %5 = dfg.task c "scalar"(value @l)
// CHECK: error: calls 'int scalar(int32_t i)', but another task calls 'void scalar(int32_t i)'
  %6 = dfg.task c "scalar"(value @i) returns_status
}
