// Global buffers: in the lists of a launch, and in regions without a list. In
// the lists of a region they are refused.
//
// RUN: %sluice run %s > %t.graph
// RUN: %sluice run -DHETERO_SEQUENTIAL %s | diff %t.graph -
// RUN: FileCheck %s < %t.graph
// RUN: not %sluice check -DLISTED %s 2>&1 | FileCheck %s --check-prefix=LISTED

#include <hetero.h>
#include <stdio.h>

static float data[100];
float other[100];

void scale(float *x, size_t xBytes, float *y, size_t yBytes, int n) {
  void *section = __hetero_section_begin();
  for (int i = 0; i < n; ++i) {
    __hetero_parallel_loop(1, 3, x, xBytes, y, yBytes, n, 1, y, yBytes);
    y[i] += 2 * x[i];
  }
  __hetero_section_end(section);
}

int main(void) {
  int n = 100;
  for (int i = 0; i < n; ++i)
    data[i] = i;
  void *scaling = __hetero_launch(scale, 3, data, sizeof(data), other,
                                  sizeof(other), n, 1, other, sizeof(other));
  __hetero_wait(scaling);
  void *launch = __hetero_launch_begin(1, n, 0);
  void *section = __hetero_section_begin();
  for (int i = 0; i < n; ++i) {
#ifdef LISTED
    // LISTED: [[@LINE+1]]:{{[0-9]+}}: error: 'data' is not a variable of this function; copy it to one, or use it in the region without listing it [hetero-list]
    __hetero_parallel_loop(1, 2, data, sizeof(data), n, 0);
#else
    __hetero_parallel_loop(1, 1, n, 0);
#endif
    other[i] += data[i];
  }
  __hetero_section_end(section);
  __hetero_launch_end(launch);
  // CHECK: 3 297
  printf("%g %g\n", other[1], other[99]);
}
