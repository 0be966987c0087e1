/* C kernels of the tests: arrays of doubles. */
#include <stdint.h>

void add_one(double *base, double *first, int64_t offset, int64_t n,
             int64_t stride) {
  for (int64_t i = 0; i < n; ++i)
    first[offset + i * stride] += 1;
}

void scale(double factor, double *base, double *first, int64_t offset,
           int64_t rows, int64_t columns, int64_t rowStride,
           int64_t columnStride) {
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      first[offset + i * rowStride + j * columnStride] *= factor;
}

void total(double *base, double *first, int64_t offset, int64_t n,
           int64_t stride, int64_t *result) {
  *result = 0;
  for (int64_t i = 0; i < n; ++i)
    *result += (int64_t)first[offset + i * stride];
}

int fail_with(int64_t status) { return (int)status; }

/* The address of an array, as a number. */
void where(double *base, double *first, int64_t offset, int64_t n,
           int64_t stride, int64_t *result) {
  *result = (int64_t)(uintptr_t)(first + offset);
}

void out_of_bounds(double *base, double *first, int64_t offset, int64_t n,
                   int64_t stride) {
  first[offset + n * stride] = 7;
}

/* Takes the longer the larger `turns` is. */
void wait_turns(double *base, double *x, long offset, long n, long stride,
                long turns) {
  for (volatile long i = 0; i < turns * 50000; i = i + 1) {
  }
  x[0] = turns;
}

void count_calls(double *base, double *x, long offset, long n, long stride) {
  static long calls;
  calls += 1;
  x[0] = calls;
}

void add_to_row(double *base, double *x, long offset, long n, long m, long s,
                long t, double number) {
  for (long j = 0; j < m; ++j)
    x[j * t] += number;
}

/* One after another, through memory that both share. */
void shift_into(const double *a, const double *x, long o, long n, long s,
                double *b, double *y, long p, long m, long t) {
  for (long i = 0; i < m; ++i)
    y[i * t] = x[i * s];
}
