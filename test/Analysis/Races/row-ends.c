// Parts of rows that begin or end elsewhere, and loops over rows or columns
// that count down.
// DEFINE: %{check} = sluice check %s
// RUN: %{check} "-DCODE=for (long j = 1; j < n; ++j) x[i] += a[i * n + j]; for (long j = 0; j < n; ++j) a[i * n + j] = x[i]" | FileCheck %s
// RUN: %{check} "-DCODE=x[i] = a[i * n]; for (long j = 1; j < n; ++j) x[i] += a[i * n + j]; for (long j = 0; j < n; ++j) a[i * n + j] = x[i]" | FileCheck %s
// RUN: %{check} "-DCODE=for (long j = 0; j < n - 1; ++j) a[i * n + j + 1] = a[i * n + j]" | FileCheck %s
// RUN: %{check} "-DCODE=for (long j = n - 2; j >= 0; --j) a[i * n + j] += a[i * n + j + 1]" | FileCheck %s
// RUN: %{check} "-DCODE=a[i] = 0; for (long j = n - 2; j >= 0; --j) a[j * rows + i] -= a[(j + 1) * rows + i]" | FileCheck %s
// RUN: %{check} "-DCODE=for (long j = 0; j < n; ++j) a[j * rows + i] = 0; for (long j = n - 1; j >= 0; --j) a[j * rows + i] += 1" | FileCheck %s
// RUN: not %{check} "-DCODE=for (long j = 1; j <= n; ++j) x[i] += a[i * n + j]; for (long j = 0; j < n; ++j) a[i * n + j] = x[i]" 2>&1 | FileCheck %s --check-prefix=RACY
// RUN: not %{check} "-DCODE=for (long j = -1; j < n; ++j) x[i] += a[i * n + j + 1]; for (long j = 0; j < n; ++j) a[i * n + j + 1] = x[i]" 2>&1 | FileCheck %s --check-prefix=RACY
// RUN: not %{check} "-DCODE=for (long j = 0; j < n; ++j) a[i * n + j + 1] = a[i * n + j]" 2>&1 | FileCheck %s --check-prefix=RACY
// RUN: not %{check} "-DCODE=for (long j = n - 1; j >= 0; --j) a[i * n + j] += a[i * n + j + 1]" 2>&1 | FileCheck %s --check-prefix=RACY
// RUN: not %{check} "-DCODE=a[i] = 0; for (long j = n - 2; j >= 0; --j) a[j * rows + i] -= a[(j + 1) * rows + i + 1]" 2>&1 | FileCheck %s --check-prefix=RACY
// CHECK-NOT: {{error|remark}}
// CHECK: proven free of races
// RACY: error: {{.*}}instances {{.*}} meet

#include <hetero.h>

void work(float *a, size_t aBytes, float *x, size_t xBytes, long n, long rows) {
  void *section = __hetero_section_begin();
  for (long i = 0; i < rows; ++i) {
    __hetero_parallel_loop(1, 4, a, aBytes, x, xBytes, n, rows, 2, a, aBytes, x,
                           xBytes);
    CODE;
  }
  __hetero_section_end(section);
}

int main(void) {
  static float a[128], x[128];
  __hetero_wait(__hetero_launch((void *)work, 4, a, sizeof a, x, sizeof x, 8l,
                                8l, 2, a, sizeof a, x, sizeof x));
  return 0;
}
