// C kernels with one instance per point of a grid, from source and bitcode.
//
// RUN: rm -rf %t && split-file --leading-lines %s %t && cd %t
// RUN: %sluice run graph.mlir kernels.c | FileCheck %s
// RUN: %clang -g -O1 -emit-llvm -I%include/sluice/hpvm -c kernels.c
// RUN: %sluice run graph.mlir kernels.bc | FileCheck %s
// RUN: not %sluice check wrong.mlir kernels.c status.c 2>&1 | FileCheck --check-prefix=WRONG %s
// RUN: not %sluice run racy.mlir racy.c 2>&1 | FileCheck --check-prefix=RACY %s
// RUN: not %sluice check racy.mlir racy.c 2>&1 | FileCheck --check-prefix=RACY %s
// RUN: %clang -c plain.c
// RUN: not %sluice check object.mlir plain.o 2>&1 | FileCheck --check-prefix=OBJECT %s

//--- kernels.c
#include <hpvm.h>
#include <stdio.h>

void scale(double *base, double *first, int offset, int n, int m, int sn,
           int sm, double factor) {
  void *node = __hpvm__getNode();
  long i = __hpvm__getNodeInstanceID_x(node);
  long j = __hpvm__getNodeInstanceID_y(node);
  first[i * sn + j * sm] *= factor;
}
void count(double *base, double *first, int offset, int n, int m, int sn,
           int sm) {
  long i = get_global_id(0);
  first[i * sn] += 1000 * get_local_size(0) + get_group_id(0);
}
void show(double *base, double *first, int offset, int n, int m, int sn,
          int sm) {
  for (int i = 0; i != n; ++i)
    for (int j = 0; j != m; ++j)
      printf("%g ", first[i * sn + j * sm]);
  printf("\n");
}
void third(double *b, double *f, int offset, int n, int sn) {
  f[__hpvm__getNodeInstanceID_z(__hpvm__getNode())] = 0;
}
void parent(double *b, double *f, int offset, int n, int sn) {
  f[__hpvm__getNodeInstanceID_x(__hpvm__getParentNode(__hpvm__getNode()))] = 0;
}
void diverges(double *b, double *f, int offset, int n, int sn) {
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  if (i == 0)
    __hpvm__barrier();
  f[i] = 0;
}

//--- status.c
#include <hpvm.h>

int status(double *b, double *f, int offset, int n, int sn) {
  f[__hpvm__getNodeInstanceID_x(__hpvm__getNode())] = 0;
  return 0;
}

//--- plain.c
void plain(double *b, double *f, int offset, int n, int sn) {}

//--- graph.mlir
// CHECK: 3010 20 3030 40 3050 60
dfg.dataset @A : f64 [3, 2] initial(dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf64>)
dfg.scalar @factor : f64 = 10.0
dfg.task_graph @grid {
  %0 = dfg.task c "scale" over [3, 2](@A, value @factor)
  %1 = dfg.task c "count" over [3](@A)
  %3 = dfg.task c "show"(in @A)
}

//--- wrong.mlir
dfg.dataset @v : f64 [8]
dfg.dataset @m : f64 [2, 4]
dfg.scalar @factor : f64 = 10.0
dfg.task_graph @grid {
// WRONG: error: 'scale' calls 'getNode', but its task is not replicated; give the task extents
// WRONG: kernels.c:{{.*}}note: it is here
  %0 = dfg.task c "scale"(@m, value @factor)
// WRONG: error: 'count' calls 'get_global_id', but its task is not replicated; give the task extents
  %1 = dfg.task c "count"(@m)
// WRONG: error: 'third' asks for 'getNodeInstanceID.z', but its task has 2 dimensions
  %2 = dfg.task c "third" over [4, 2](@v)
// WRONG: error: 'parent' asks about another node than its own; a task has no replicated parent
  %3 = dfg.task c "parent" over [4](@v)
// WRONG: error: some instances of 'diverges' may reach a barrier more often than others
// WRONG: kernels.c:{{.*}}note: the barrier is here
  %4 = dfg.task c "diverges" over [4](@v)
// WRONG: error: 'status' returns a status, but the task is replicated
  %5 = dfg.task c "status" over [8](@v)
}

//--- object.mlir
// OBJECT: error: is replicated, but 'plain.o' is machine code; the kernels of replicated tasks are compiled here, so name their source or bitcode
dfg.dataset @v : f64 [8]
dfg.task_graph @grid {
  %0 = dfg.task c "plain" over [8](@v)
}

//--- racy.c
#include <hpvm.h>

void racy(double *b, double *f, int offset, int n, int sn) {
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  f[0] += i;
}

//--- racy.mlir
// RACY: racy.c:{{[0-9]+}}:{{.*}}error: 'racy' writes the same place of argument 'v' of 'grid' in several instances: instances (0) and (1) meet
dfg.dataset @v : f64 [8]
dfg.task_graph @grid {
  %0 = dfg.task c "racy" over [8](@v)
}
