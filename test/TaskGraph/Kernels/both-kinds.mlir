// One source with C kernels and an HPVM graph: what others can name is there
// once, and static variables that both sides use and change are refused.
//
// RUN: rm -rf %t && split-file --leading-lines %s %t && cd %t
// RUN: %sluice run own.mlir | FileCheck %s
// RUN: %sluice run listed.mlir both.c | FileCheck %s
// RUN: sed -e 's/both.c/shared.c/' own.mlir > shared.mlir
// RUN: sed -e 's/static double bias/double bias/' both.c > shared.c
// RUN: %sluice run shared.mlir | FileCheck %s
// RUN: sed -e 's/both.c/state.c/' own.mlir > state.mlir
// RUN: sed -e 's/factorOf(a\[i\])/a[i] + bias/' both.c > state.c
// RUN: not %sluice run state.mlir 2>&1 | FileCheck --check-prefix=STATE %s
//
// CHECK: A =
// CHECK-NEXT: 2 3 4 5
//
// STATE: state.mlir:{{.*}}error: graphs and C kernels of 'state.c' use the static variable 'bias', and each would have one of its own; remove 'static', or give the graph and the kernel a source each
// STATE: state.mlir:{{.*}}note: 'setn' uses it here

//--- both.c
#include <hpvm.h>
static double bias = 0.5;
double factorOf(double x) { return x + bias; }
void setn(double *base, double *first, int offset, int n, int s) {
  bias = 2;
  for (int i = 0; i < n; ++i)
    first[i * s] = i;
}
void leaf(double *a, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, a, 1, a);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  a[i] = factorOf(a[i]);
  __hpvm__return(1, bytes);
}
void root(double *a, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, a, 1, a);
  void *node = __hpvm__createNodeND(1, leaf, (size_t)4);
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
}
//--- own.mlir
dfg.dataset @A : f64 [4] printed
dfg.task_graph @g {
  %0 = dfg.task c "setn"(out @A) source("both.c")
  %1 = dfg.task hpvm "root"(@A) source("both.c")
}
//--- listed.mlir
dfg.dataset @A : f64 [4] printed
dfg.task_graph @g {
  %0 = dfg.task c "setn"(out @A)
  %1 = dfg.task hpvm "root"(@A)
}
