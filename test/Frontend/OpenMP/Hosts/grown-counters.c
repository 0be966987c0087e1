// What a variable of the host holds that begins with a constant and only grows:
// the columns of a row from `k` on stay in the row.
// RUN: sluice check -fopenmp %s | FileCheck %s
// RUN: sluice check -fopenmp "-DNEXT=k *= 2" -DFIRST=1 %s | FileCheck %s
// RUN: sluice check -fopenmp "-DNEXT=k += 3" "-DAROUND=if (a[5] > 2) k = 7" %s | FileCheck %s
// CHECK-NOT: {{error|remark}}
// CHECK: proven free of races
//
// It may be less, or somebody else may change it.
// RUN: sluice check -fopenmp -DFIRST=-1 %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: sluice check -fopenmp "-DNEXT=k -= 1" %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: sluice check -fopenmp "-DNEXT=k *= 2" -DFIRST=-3 %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: sluice check -fopenmp "-DNEXT=k = next(k)" %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: sluice check -fopenmp "-DAROUND=change(&k)" %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: sluice check -fopenmp "-DAROUND=((char *)&k)[3] = 0x80" %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: sluice check -fopenmp "-DAROUND=*(char *)&k = 1" %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: sluice check -fopenmp -fwrapv %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: remark: cannot tell whether iterations of this parallel loop meet in 'a'

#ifndef FIRST
#define FIRST 0
#endif
#ifndef NEXT
#define NEXT ++k
#endif
#ifndef AROUND
#define AROUND
#endif

int next(int);
void change(int *);

void eliminate(double a[160 * 160], int n) {
  for (int k = FIRST; k < n; NEXT) {
    AROUND;
#pragma omp parallel for
    for (int i = k + 1; i < 160; ++i)
      for (int j = k; j < 160; ++j)
        a[i * 160 + j] -= a[k * 160 + j];
  }
}
