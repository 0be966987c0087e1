// OpenMP does not promise a barrier behind 'nowait', though clang adds one.
// RUN: %sluice check -fopenmp %s 2>&1 | FileCheck %s
// RUN: %sluice check -fopenmp -DMAIN %s 2>&1 | FileCheck %s
// CHECK: remark: nothing was checked here: whether the threads wait for the last values of this loop is not known
// CHECK-NOT: proven
int a[64];

int last(int n) {
  int x = 0, seen = 0;
#pragma omp parallel
  {
#pragma omp for nowait lastprivate(conditional : x)
    for (int i = 0; i < n; ++i)
      if (a[i])
        x = i;
#pragma omp single
    seen = x;
  }
  return seen;
}

#ifdef MAIN
int main(void) {
  a[3] = 1;
  return last(7);
}
#endif
