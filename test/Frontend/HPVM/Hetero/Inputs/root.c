#include <hetero.h>

void count(int *x, size_t xBytes, int n) {
  void *section = __hetero_section_begin();
  for (int i = 0; i < n; ++i) {
    __hetero_parallel_loop(1, 2, x, xBytes, n, 1, x, xBytes);
    x[i] = 2 * x[i] + i;
  }
  __hetero_section_end(section);
}
