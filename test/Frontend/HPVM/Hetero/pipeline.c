// Tasks wait for those whose lists say so: a value along an edge, a write
// before a read, a read before a write, two writes; structures, doubles and
// arithmetic between the tasks, with functions that change their copies.
//
// RUN: %sluice run -DHETERO_SEQUENTIAL %s > %t.sequential
// RUN: %sluice run %s > %t.graph
// RUN: diff %t.sequential %t.graph
// RUN: env SLUICE_EXECUTOR=sequential %sluice run %s | diff %t.sequential -
// RUN: FileCheck %s < %t.graph
// RUN: sluice-translate %s --print=dfg | FileCheck %s --check-prefix=DFG

#include <hetero.h>
#include <stdio.h>

struct Options {
  int scale;
  double bias;
  short small;
};

struct Big {
  long first, rest[5];
};
static long change(struct Big big) {
  big.first += 1;
  big.rest[2] *= 2;
  return big.first + big.rest[2];
}
static long changeTwice(struct Big big) {
  long before = change(big);
  big.first += 10;
  return before + change(big) + big.first;
}
void copies(long *x, size_t bytes, struct Big big) {
  void *section = __hetero_section_begin();
  long once = change(big), first = big.first, twice = changeTwice(big);
  long after = big.first + big.rest[2];
  void *task = __hetero_task_begin(5, x, bytes, once, first, twice, after, 1, x,
                                   bytes);
  x[0] = once;
  x[1] = first;
  x[2] = twice;
  x[3] = after;
  __hetero_task_end(task);
  __hetero_section_end(section);
}

static void scale(int *a, size_t bytes, int factor) {
  for (size_t i = 0; i < bytes / sizeof(int); ++i)
    a[i] *= factor;
}

// 'sum' and 'reverse' read what 'fill' writes; 'mean' writes what they read
// and takes the sum; 'result' needs what 'mean' gives and so all before.
// DFG-LABEL: dfg.graph @pipeline.graph(
// DFG: %[[FILL:.*]]:2 = dfg.node @pipeline.fill(
// DFG: dfg.node @pipeline.sum({{.*}}%[[FILL]]#0
// DFG: dfg.node @pipeline.reverse({{.*}}%[[FILL]]#1
// DFG: dfg.node @pipeline.mean(
// DFG: dfg.node @pipeline.result(
void pipeline(int *a, size_t aBytes, int *b, size_t bBytes, int n,
              struct Options options, double *out, size_t outBytes) {
  int sum, twice;
  double mean;
  void *section = __hetero_section_begin();
  void *fill = __hetero_task_begin(3, a, aBytes, n, options, 1, a, aBytes,
                                   "fill");
  for (int i = 0; i < n; ++i)
    a[i] = i * options.scale + options.small;
  __hetero_task_end(fill);

  void *add = __hetero_task_begin(2, a, aBytes, n, 1, sum, "sum");
  sum = 0;
  for (int i = 0; i < n; ++i)
    sum += a[i];
  __hetero_task_end(add);

  void *reverse = __hetero_task_begin(3, a, aBytes, b, bBytes, n, 1, b,
                                      bBytes, "reverse");
  for (int i = 0; i < n; ++i)
    b[i] = a[n - 1 - i];
  __hetero_task_end(reverse);

  void *average =
      __hetero_task_begin(4, a, aBytes, sum, n, options, 2, a, aBytes, &mean,
                          sizeof(mean), "mean");
  scale(a, aBytes, 3);
  mean = (double)sum / n + options.bias;
  __hetero_task_end(average);

  twice = 2 * n;
  void *last = __hetero_task_begin(7, a, aBytes, b, bBytes, mean, sum, twice,
                                   n, out, outBytes, 1, out, outBytes,
                                   "result");
  out[0] = mean + sum + twice;
  for (int i = 0; i < n; ++i)
    out[0] += a[i] * 0.5 + b[i] * i;
  __hetero_task_end(last);
  __hetero_section_end(section);
}

int main(void) {
  int a[100], b[100];
  double out;
  struct Options options = {7, 0.25, 3};
  void *graph = __hetero_launch(pipeline, 5, a, sizeof(a), b, sizeof(b), 100,
                                options, &out, sizeof(out), 2, b, sizeof(b),
                                &out, sizeof(out));
  __hetero_wait(graph);
  // CHECK: 1234674.750000 114 661
  printf("%.6f %d %d\n", out, a[5], b[5]);
  struct Big big = {5, {1, 2, 3, 4, 5}};
  long x[4];
  __hetero_wait(
      __hetero_launch(copies, 2, x, sizeof(x), big, 1, x, sizeof(x)));
  // CHECK: 12 5 49 8
  printf("%ld %ld %ld %ld\n", x[0], x[1], x[2], x[3]);
  return 0;
}
