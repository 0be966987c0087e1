// Instances are counted from 0; where the program's loops count from elsewhere,
// messages say the values of their variables as well.
// RUN: not sluice check %s 2>&1 | FileCheck %s
// CHECK: instances (1, 0) and (0, 0) (j = 3, i = 1 and j = 2, i = 1) meet
// CHECK: instances (0) and (1) (k = 8 and k = 6) meet
// CHECK: instances ({{[01]}}) and ({{[01]}}) meet
// CHECK-NOT: {{[(]i = }}

#include <hetero.h>

void rows(double *y, size_t bytes, int nx, long ny) {
  void *section = __hetero_section_begin();
  for (int i = 1; i < nx - 1; ++i)
    for (long j = 2; j <= ny; ++j) {
      __hetero_parallel_loop(2, 2, y, bytes, ny, 1, y, bytes, "rows");
      y[i * ny + j] = y[i * ny + j - 1];
    }
  __hetero_section_end(section);
}

void down(double *y, size_t bytes) {
  void *section = __hetero_section_begin();
  for (int k = 8; k > 0; k -= 2) {
    __hetero_parallel_loop(1, 1, y, bytes, 1, y, bytes, "down");
    int next = k - 2;
    y[k] = y[next];
  }
  __hetero_section_end(section);
}

void plain(double *y, size_t bytes, long n) {
  void *section = __hetero_section_begin();
  for (long i = 0; i < n; ++i) {
    __hetero_parallel_loop(1, 1, y, bytes, 1, y, bytes, "plain");
    long next = i + 1;
    y[i] = y[next];
  }
  __hetero_section_end(section);
}

int main() {
  double y[99];
  __hetero_wait(__hetero_launch((void *)rows, 3, y, sizeof y, 9, 3L, 1, y,
                                sizeof y));
  __hetero_wait(__hetero_launch((void *)down, 1, y, sizeof y, 1, y, sizeof y));
  __hetero_wait(
      __hetero_launch((void *)plain, 2, y, sizeof y, 9L, 1, y, sizeof y));
}
