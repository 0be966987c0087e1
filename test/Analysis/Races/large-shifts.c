// Numbers that may be far below zero, multiplied: what is computed with them
// fits no 64 bits, and nothing follows from it. With n = m = -3, instances 3
// and 6 meet.
// RUN: %sluice check %s -DTYPE=long "-DIF=i + n >= 0 && i + m >= 0 && n <= 0" 2>&1 | FileCheck %s
// RUN: %sluice check %s -DTYPE=int "-DIF=i + n >= 0 && i + m >= 0 && n <= 0" 2>&1 | FileCheck %s
// RUN: %sluice check %s -DTYPE=long "-DIF=n > -2147483600 && n <= 0 && m > -2147483600" 2>&1 | FileCheck %s
// CHECK-NOT: {{^(proven )?free of races$}}
// CHECK: {{remark|error}}: {{.*}} 'a'
// CHECK-NOT: {{^(proven )?free of races$}}

void f(double *a, TYPE N, TYPE n, TYPE m) {
#pragma omp parallel for
  for (TYPE i = 0; i < N; ++i)
    if (IF)
      a[i * i - i * (n * m)] = i;
}
