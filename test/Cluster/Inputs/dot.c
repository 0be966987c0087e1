/* The dot product of two arrays that ranks fill. `dot [later] N`: the program
   looks at elements of them after the cleanup. */
#include <hpvm.h>
#include <stdio.h>
#include <stdlib.h>

void fill(double *a, size_t aBytes, double *b, size_t bBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 2, a, b);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  a[i] = (double)(i % 1013);
  b[i] = 1.0 / (double)(1 + i);
}

void dot(double *a, size_t aBytes, double *b, size_t bBytes, double *sum,
         size_t sumBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(3, a, b, sum, 1, sum);
  sluice_reduce(sum, sumBytes, SLUICE_SUM);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  sum[0] += a[i] * b[i];
}

void fillAll(double *a, size_t aBytes, double *b, size_t bBytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 2, a, b);
  void *all = __hpvm__createNodeND(1, fill, n);
  for (int i = 0; i < 4; ++i)
    __hpvm__bindIn(all, i, i, 0);
}

void dotAll(double *a, size_t aBytes, double *b, size_t bBytes, double *sum,
            size_t sumBytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(3, a, b, sum, 1, sum);
  void *all = __hpvm__createNodeND(1, dot, n);
  for (int i = 0; i < 6; ++i)
    __hpvm__bindIn(all, i, i, 0);
}

struct __attribute__((packed)) Arrays {
  double *a;
  size_t aBytes;
  double *b;
  size_t bBytes;
  long n;
};
struct __attribute__((packed)) Sum {
  double *a;
  size_t aBytes;
  double *b;
  size_t bBytes;
  double *sum;
  size_t sumBytes;
  long n;
};

int main(int argc, char **argv) {
  __hpvm__init();
  long n = atol(argv[argc - 1]);
  size_t bytes = (size_t)n * sizeof(double);
  double *a = malloc(bytes), *b = malloc(bytes), sum = 0;
  llvm_hpvm_track_mem(a, bytes);
  llvm_hpvm_track_mem(b, bytes);
  llvm_hpvm_track_mem(&sum, sizeof sum);
  struct Arrays arrays = {a, bytes, b, bytes, n};
  struct Sum all = {a, bytes, b, bytes, &sum, sizeof sum, n};
  __hpvm__wait(__hpvm__launch(0, fillAll, &arrays));
  __hpvm__wait(__hpvm__launch(0, dotAll, &all));
  llvm_hpvm_request_mem(&sum, sizeof sum);
  printf("sum %a\n", sum);
  llvm_hpvm_untrack_mem(&sum);
  const int looksLater = argc > 2;
  if (!looksLater) {
    llvm_hpvm_untrack_mem(a);
    free(a);
    llvm_hpvm_untrack_mem(b);
    free(b);
  }
  __hpvm__cleanup();
  if (looksLater)
    printf("last %a %a\n", a[n - 1], b[n - 1]);
  return 0;
}
