// Sums over an array that ranks fill. `sums HOW N`: the program frees the
// array, leaves it to the destructor of a global variable, which looks at an
// element of it, or looks at one before.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <hetero.h>

static void fill(double *a, size_t bytes, long n) {
  void *section = __hetero_section_begin();
  for (long i = 0; i < n; ++i) {
    __hetero_parallel_loop(1, 2, a, bytes, n, 1, a, bytes, "fill");
    a[i] = 1.0 / (double)(i + 1);
  }
  __hetero_section_end(section);
}

static void total(double *a, size_t bytes, double *sum, size_t sumBytes,
                  long n) {
  void *section = __hetero_section_begin();
  for (long i = 0; i < n; ++i) {
    __hetero_parallel_loop(1, 3, a, bytes, sum, sumBytes, n, 1, sum, sumBytes,
                           "total");
    sluice_reduce(sum, sumBytes, SLUICE_SUM);
    sum[0] += a[i];
  }
  __hetero_section_end(section);
}

static struct Last {
  const double *element = nullptr;
  ~Last() {
    if (element)
      std::printf("left %a\n", *element);
  }
} last;

int main(int argc, char **argv) {
  const char *how = argv[argc - 2];
  const long n = std::atol(argv[argc - 1]);
  const size_t bytes = size_t(n) * sizeof(double);
  double sum = 0;
  auto *a = static_cast<double *>(__hetero_malloc(bytes));
  __hetero_wait(
      __hetero_launch((void *)fill, 2, a, bytes, n, 1, a, bytes));
  __hetero_wait(__hetero_launch((void *)total, 3, a, bytes, &sum, sizeof sum, n,
                                1, &sum, sizeof sum));
  if (std::strcmp(how, "look") == 0) {
    __hetero_request_mem(a + n - 1, sizeof(double));
    std::printf("last %a\n", a[n - 1]);
  }
  std::printf("sum %a\n", sum);
  if (std::strcmp(how, "leave") == 0)
    last.element = a + n - 1;
  else
    __hetero_free(a);
  return 0;
}
