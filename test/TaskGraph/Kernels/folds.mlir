// Reductions and scans in C kernels of replicated tasks: several operators, structures
// of the program, scans that go on with what a reduction left, checked runs; and what
// cannot be.
//
// RUN: rm -rf %t && split-file --leading-lines %s %t && cd %t
// RUN: env SLUICE_WORKERS=1 %sluice run graph.mlir kernels.c | FileCheck %s
// RUN: env SLUICE_WORKERS=3 %sluice run graph.mlir kernels.c | FileCheck %s
// RUN: env SLUICE_CHECK=1 %sluice run graph.mlir kernels.c | FileCheck %s
// RUN: %clang -g -O1 -Xclang -disable-llvm-passes -emit-llvm -I%include/sluice/hpvm -c kernels.c
// RUN: %sluice run graph.mlir kernels.bc | FileCheck %s
// RUN: not %sluice check wrong.mlir wrong.c 2>&1 | FileCheck --check-prefix=WRONG %s
// RUN: not %sluice run leaves.mlir wrong.c 2>&1 | FileCheck --check-prefix=LEAVES %s
// RUN: not %sluice run plane.mlir wrong.c 2>&1 | FileCheck --check-prefix=PLANE %s

//--- kernels.c
#include <hpvm.h>
#include <stdio.h>

#define own() __hpvm__getNodeInstanceID_x(__hpvm__getNode())

void fill(float *xb, float *x, int xo, int n, int xs) {
  x[own()] = (own() * 7919 % 1013) * 1e-3f;
}

// Element 0 of the extremes is the least, element 1 the place of the greatest.
typedef struct {
  double value;
  long place;
} Most;
static void none(void *element) { *(Most *)element = (Most){-1, -1}; }
static void greater(void *into, const void *from) {
  if (((const Most *)from)->value > ((Most *)into)->value)
    *(Most *)into = *(const Most *)from;
}

void fold(float *xb, float *x, int xo, int n, int xs, double *sb, double *sum,
          int so, int sums, int ss, unsigned *hb, unsigned *bins, int ho,
          int numBins, int hs, double *mb, double *most, int mo, int parts,
          int ms, float *least) {
  sluice_reduce(sum, sums * sizeof *sum, SLUICE_SUM);
  sluice_reduce(bins, numBins * sizeof *bins, SLUICE_SUM);
  sluice_reduce_with(most, sizeof(Most), sizeof(Most), none, greater);
  sluice_reduce(least, sizeof *least, SLUICE_MIN);
  long i = own();
  sum[i % 2] += x[i * xs];
  bins[(int)(x[i] * 10) % numBins] += 1;
  Most *best = (Most *)most;
  if (x[i] > best->value)
    *best = (Most){x[i], i};
  if (x[i] < *least)
    *least = x[i];
}

void offsets(unsigned *hb, unsigned *bins, int ho, int numBins, int hs,
             long *ob, long *offset, int oo, int m, int os) {
  sluice_scan_exclusive(offset, m * sizeof *offset, SLUICE_SUM);
  long i = own();
  offset[i * os] = bins[i * hs];
}

void show(double *sb, double *sum, int so, int sums, int ss, unsigned *hb,
          unsigned *bins, int ho, int numBins, int hs, double *mb, double *most,
          int mo, int parts, int ms, float *least, long *ob, long *offset,
          int oo, int m, int os) {
  printf("%.3f %.3f; %ld; %.3f\n", sum[0], sum[1], ((Most *)most)->place,
         *least);
  for (int i = 0; i != numBins; ++i)
    printf("%u %ld, ", bins[i], offset[i]);
  printf("\n");
}

//--- graph.mlir
// CHECK: 2530.003 2530.885; 564; -3.000
// CHECK-NEXT: 1115 0, 987 1115, 988 2102, 986 3090, 988 4076, 987 5064, 987 6051, 987 7038, 988 8025, 987 9013,
dfg.dataset @x : f32 [10000]
dfg.dataset @sum : f64 [2] initial(dense<0.0> : tensor<2xf64>)
dfg.dataset @bins : ui32 [10] initial(dense<0> : tensor<10xui32>)
dfg.dataset @most : f64 [2] initial(dense<0.0> : tensor<2xf64>)
dfg.dataset @offset : si64 [10] initial(dense<0> : tensor<10xsi64>)
dfg.scalar @least : f32 = -3.0
dfg.task_graph @grid {
  %0 = dfg.task c "fill" over [10000](out @x)
  %1 = dfg.task c "fold" over [10000](in @x, @sum, @bins, @most, @least)
  %2 = dfg.task c "offsets" over [10](in @bins, @offset)
  %3 = dfg.task c "show"(in @sum, in @bins, in @most, in @least, in @offset)
}

//--- wrong.c
#include <hpvm.h>
#define own() __hpvm__getNodeInstanceID_x(__hpvm__getNode())
void alone(double *b, double *s, int o, int n, int ss) {
  sluice_reduce(s, n * sizeof *s, SLUICE_SUM);
  s[0] += 1;
}
void reads(double *b, double *s, int o, int n, int ss) {
  sluice_reduce(s, n * sizeof *s, SLUICE_SUM);
  s[0] += s[1];
}
void part(double *b, double *s, int o, int n, int ss) {
  sluice_reduce(s, n * sizeof *s, SLUICE_SUM);
  s[0] += 1;
}
void beyond(double *b, double *s, int o, int n, int ss) {
  sluice_reduce(s, (n + 1) * sizeof *s, SLUICE_SUM);
  s[0] += 1;
}
void late(double *b, double *s, int o, int n, int ss) {
  if (own() > 3) {
    sluice_reduce(s, n * sizeof *s, SLUICE_SUM);
    s[0] += 1;
  }
}
void twice(double *b, double *s, int o, int n, int ss) {
  sluice_reduce(s, n * sizeof *s, SLUICE_SUM);
  sluice_reduce(s, n * sizeof *s, SLUICE_SUM);
  s[0] += 1;
}
void uneven(double *b, double *s, int o, int n, int ss) {
  sluice_reduce(s, 12, SLUICE_SUM);
  s[0] += 1;
}
void neighbour(double *b, double *s, int o, int n, int ss) {
  sluice_scan(s, n * sizeof *s, SLUICE_SUM);
  s[own() + 1] = 1;
}
void plane(double *b, double *s, int o, int n, int m, int sn, int sm) {
  sluice_scan(s, n * m * sizeof *s, SLUICE_SUM);
  s[own()] = 1;
}

//--- wrong.mlir
// WRONG: error: 'alone' calls 'reduce.f64', but its task is not replicated; give the task extents
dfg.dataset @v : f64 [8]
dfg.task_graph @grid {
  %0 = dfg.task c "alone"(@v)
}

//--- leaves.mlir
// LEAVES: error: 'reads' declares a reduction of 'v', but reads an element for another purpose than to update it
// LEAVES: error: 'part' declares a reduction of something else than an array from its first element on; pass the task all of it
// LEAVES: error: 'beyond' declares a reduction of 72 bytes, but the memory has 64
// LEAVES: error: 'late' declares a reduction behind a branch, but it holds for all instances; do so first
// LEAVES: error: 'twice' declares a reduction of memory for which it has declared one before
// LEAVES: error: 'uneven' declares a reduction of 12 bytes, which is no multiple of the 8 bytes of an element
// LEAVES: error: 'neighbour' declares a scan of 'v', but uses another element than that of the instance
// LEAVES: error: 'reads' declares a reduction of memory that the task does not read and write; mark it in and out
dfg.dataset @v : f64 [8]
dfg.task_graph @grid {
  %0 = dfg.task c "reads" over [8](@v)
  %1 = dfg.task c "part" over [4](@v[4:8])
  %2 = dfg.task c "beyond" over [8](@v)
  %3 = dfg.task c "late" over [8](@v)
  %4 = dfg.task c "twice" over [8](@v)
  %5 = dfg.task c "uneven" over [8](@v)
  %6 = dfg.task c "neighbour" over [8](@v)
  %7 = dfg.task c "reads" over [8](out @v)
}

//--- plane.mlir
// PLANE: error: {{.*}} scans input 'p', so it must have one dimension
dfg.dataset @p : f64 [2, 4]
dfg.task_graph @grid {
  %0 = dfg.task c "plane" over [2, 4](@p)
}
