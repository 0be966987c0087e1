// The loop of a launch region may run no turn at all: its extent is
// `n > 0 ? n : 0`. Where there are instances, that is n.
// RUN: not sluice check -DBODY='out[0] = x[i];' %s 2>&1 | FileCheck %s --check-prefix=RACY
// RUN: not sluice check -DBODY='out[i / 2] = x[i];' %s 2>&1 | FileCheck %s --check-prefix=RACY
// RUN: not sluice check -DSTEP=3 -DBODY='out[i & 1] = x[i];' %s 2>&1 | FileCheck %s --check-prefix=SOME
// RUN: sluice check -DBODY='out[i] = x[i];' %s 2>&1 | FileCheck %s
// RUN: sluice check -DFROM=2 -DBODY='out[i - 2] = x[i];' %s 2>&1 | FileCheck %s
// RUN: sluice check -DSTEP=2 -DBODY='out[i] = x[i]; out[i + 1] = 0;' %s 2>&1 | FileCheck %s
// RUN: sluice check -DBODY='for (int k = 0; k < n; ++k) out[i * n + k] = 0;' %s 2>&1 | FileCheck %s
// CHECK-NOT: {{error|remark}}
// CHECK: proven free of races
// RACY: error: {{.*}} instances (0) and (1) meet
// SOME: error: {{.*}} instances ({{[0-9]+}}) and ({{[0-9]+}}) (i = {{[0-9]+}} and i = {{[0-9]+}}) meet

#include <heterocc.h>

#ifndef FROM
#define FROM 0
#endif
#ifndef STEP
#define STEP 1
#endif

void f(int *restrict out, size_t bytes, const int *restrict x, size_t xBytes,
       int n) {
  void *section = __hetero_section_begin();
  for (int i = FROM; i < n; i += STEP) {
    __hetero_parallel_loop(1, 3, out, bytes, x, xBytes, n, 1, out, bytes);
    BODY
  }
  __hetero_section_end(section);
}

int main(void) {
  int out[64], x[8] = {0};
  void *launch = __hetero_launch((void *)f, 3, out, sizeof out, x, sizeof x, 8,
                                 1, out, sizeof out);
  __hetero_wait(launch);
}
