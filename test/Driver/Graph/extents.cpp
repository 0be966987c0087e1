// Extents are shown as people wrote the loops.
// RUN: %sluice graph %s | FileCheck %s
// CHECK: rows</b><br/>ny × (nx - 2)<
// CHECK: every_second</b><br/>⌈nx / 2⌉<
// CHECK: down</b><br/>k<
// CHECK: product</b><br/>s.0 · s.1<
// CHECK: most</b><br/>max(nx, 3)<
// CHECK: some</b><br/>(nx &gt; 5 ? nx : 0)<
// CHECK: equal</b><br/>(nx = 7 ? nx : 3)<

#include <hetero.h>
struct Size {
  int width, height;
};
void f(double *y, size_t bytes, int nx, long ny, unsigned k, Size s) {
  void *section = __hetero_section_begin();
  for (int i = 1; i < nx - 1; ++i)
    for (long j = 1; j <= ny; ++j) {
      __hetero_parallel_loop(2, 2, y, bytes, ny, 1, y, bytes, "rows");
      y[i * ny + j] = 2;
    }
  for (int i = 0; i < nx; i += 2) {
    __hetero_parallel_loop(1, 1, y, bytes, 1, y, bytes, "every_second");
    y[i] = 2;
  }
  for (unsigned i = k; i > 0; --i) {
    __hetero_parallel_loop(1, 1, y, bytes, 1, y, bytes, "down");
    y[i] = 2;
  }
  for (int i = 0; i < s.width * s.height; i++) {
    __hetero_parallel_loop(1, 1, y, bytes, 1, y, bytes, "product");
    y[i] = 2;
  }
  int most = nx > 3 ? nx : 3;
  for (int i = 0; i < most; i++) {
    __hetero_parallel_loop(1, 1, y, bytes, 1, y, bytes, "most");
    y[i] = 2;
  }
  int some = nx > 5 ? nx : 0;
  for (int i = 0; i < some; i++) {
    __hetero_parallel_loop(1, 1, y, bytes, 1, y, bytes, "some");
    y[i] = 2;
  }
  int equal = nx == 7 ? nx : 3;
  for (int i = 0; i < equal; i++) {
    __hetero_parallel_loop(1, 1, y, bytes, 1, y, bytes, "equal");
    y[i] = 2;
  }
  __hetero_section_end(section);
}
int main() {
  double y[99];
  __hetero_wait(__hetero_launch((void *)f, 5, y, sizeof y, 9, 3L, 4u,
                                (Size{2, 3}), 1, y, sizeof y));
}
