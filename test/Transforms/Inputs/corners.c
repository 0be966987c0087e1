// A corner detector in six stages, of which some do not wait for each other, and
// a sharpened picture with rows and columns clamped by comparisons. The arguments
// are the extents.
#include <hetero.h>
#include <stdio.h>
#include <stdlib.h>

static inline long clamp(long i, long n) {
  return i < 0 ? 0 : i < n ? i : n - 1;
}

static inline float sum(const float *p, const float *q, long columns) {
  float total = 0;
  for (long y = -1; y <= 1; ++y)
    for (long x = -1; x <= 1; ++x)
      total += p[y * columns + x] * q[y * columns + x];
  return total;
}

void corners(float *in, size_t inBytes, float *dx, size_t dxBytes, float *dy,
             size_t dyBytes, float *xx, size_t xxBytes, float *yy,
             size_t yyBytes, float *xy, size_t xyBytes, float *out,
             size_t outBytes, long columns, long rows) {
  void *section = __hetero_section_begin();
  sluice_temporary(dx);
  sluice_temporary(dy);
  sluice_temporary(xx);
  sluice_temporary(yy);
  sluice_temporary(xy);
  for (long y = 1; y < rows - 1; ++y)
    for (long x = 1; x < columns - 1; ++x) {
      __hetero_parallel_loop(2, 3, in, inBytes, dx, dxBytes, columns, 1, dx,
                             dxBytes);
      dx[y * columns + x] = in[y * columns + x + 1] - in[y * columns + x - 1];
    }
  for (long y = 1; y < rows - 1; ++y)
    for (long x = 1; x < columns - 1; ++x) {
      __hetero_parallel_loop(2, 3, in, inBytes, dy, dyBytes, columns, 1, dy,
                             dyBytes);
      dy[y * columns + x] =
          in[(y + 1) * columns + x] - in[(y - 1) * columns + x];
    }
  for (long y = 2; y < rows - 2; ++y)
    for (long x = 2; x < columns - 2; ++x) {
      __hetero_parallel_loop(2, 3, dx, dxBytes, xx, xxBytes, columns, 1, xx,
                             xxBytes);
      long i = y * columns + x;
      xx[i] = sum(dx + i, dx + i, columns);
    }
  for (long y = 2; y < rows - 2; ++y)
    for (long x = 2; x < columns - 2; ++x) {
      __hetero_parallel_loop(2, 3, dy, dyBytes, yy, yyBytes, columns, 1, yy,
                             yyBytes);
      long i = y * columns + x;
      yy[i] = sum(dy + i, dy + i, columns);
    }
  for (long y = 2; y < rows - 2; ++y)
    for (long x = 2; x < columns - 2; ++x) {
      __hetero_parallel_loop(2, 4, dx, dxBytes, dy, dyBytes, xy, xyBytes,
                             columns, 1, xy, xyBytes);
      long i = y * columns + x;
      xy[i] = sum(dx + i, dy + i, columns);
    }
  for (long y = 2; y < rows - 2; ++y)
    for (long x = 2; x < columns - 2; ++x) {
      __hetero_parallel_loop(2, 5, xx, xxBytes, yy, yyBytes, xy, xyBytes, out,
                             outBytes, columns, 1, out, outBytes);
      long i = y * columns + x;
      float trace = xx[i] + yy[i];
      out[i] = xx[i] * yy[i] - xy[i] * xy[i] - 0.0625f * trace * trace;
    }
  __hetero_section_end(section);
}

void sharpen(float *in, size_t inBytes, float *blurred, size_t blurredBytes,
             float *more, size_t moreBytes, float *out, size_t outBytes,
             long columns, long rows) {
  void *section = __hetero_section_begin();
  sluice_temporary(blurred);
  sluice_temporary(more);
  for (long y = 0; y < rows; ++y)
    for (long x = 0; x < columns; ++x) {
      __hetero_parallel_loop(2, 3, in, inBytes, blurred, blurredBytes, columns,
                             1, blurred, blurredBytes);
      const float *row = in + y * columns;
      blurred[y * columns + x] = row[clamp(x - 2, columns)] +
                                 2 * row[clamp(x - 1, columns)] + 3 * row[x] +
                                 2 * row[clamp(x + 1, columns)] +
                                 row[clamp(x + 2, columns)];
    }
  for (long y = 0; y < rows; ++y)
    for (long x = 0; x < columns; ++x) {
      __hetero_parallel_loop(2, 4, blurred, blurredBytes, more, moreBytes,
                             columns, rows, 1, more, moreBytes);
      more[y * columns + x] = blurred[clamp(y - 2, rows) * columns + x] +
                              blurred[clamp(y - 1, rows) * columns + x] +
                              blurred[y * columns + x] +
                              blurred[clamp(y + 1, rows) * columns + x] +
                              blurred[clamp(y + 2, rows) * columns + x];
    }
  for (long y = 0; y < rows; ++y)
    for (long x = 0; x < columns; ++x) {
      __hetero_parallel_loop(2, 4, in, inBytes, more, moreBytes, out, outBytes,
                             columns, 1, out, outBytes);
      long i = y * columns + x;
      out[i] = 2 * in[i] - 0.015625f * more[i];
    }
  __hetero_section_end(section);
}

static float *numbers(size_t count) {
  float *values = malloc(count * sizeof(float) + 1);
  for (size_t i = 0; i < count; ++i)
    values[i] = (float)(i * 2654435761u % 256);
  return values;
}

static double total(const float *values, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; ++i)
    sum += values[i] * (double)(i % 13 + 1);
  return sum;
}

int main(int argc, char **argv) {
  long columns = argc > 1 ? atol(argv[1]) : 300;
  long rows = argc > 2 ? atol(argv[2]) : 400;
  size_t count = columns * rows, bytes = count * sizeof(float);
  float *arrays[8];
  for (int i = 0; i < 8; ++i)
    arrays[i] = numbers(count);
  for (int launch = 0; launch < 3; ++launch) {
    __hetero_wait(__hetero_launch(
        corners, 9, arrays[0], bytes, arrays[1], bytes, arrays[2], bytes,
        arrays[3], bytes, arrays[4], bytes, arrays[5], bytes, arrays[6], bytes,
        columns, rows, 1, arrays[6], bytes));
    __hetero_wait(__hetero_launch(sharpen, 6, arrays[0], bytes, arrays[1],
                                  bytes, arrays[2], bytes, arrays[7], bytes,
                                  columns, rows, 1, arrays[7], bytes));
  }
  printf("%.17g %.17g\n", total(arrays[6], count), total(arrays[7], count));
  for (int i = 0; i < 8; ++i)
    free(arrays[i]);
  return 0;
}
