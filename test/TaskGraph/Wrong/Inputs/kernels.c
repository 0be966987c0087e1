// Kernels that wrong graphs call in a wrong way.
#include <stdint.h>

void twice(double *buffer, double *data, int offset, int n, int m, int s_n,
           int s_m) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      data[i * s_n + j * s_m] *= 2;
}

void add(double *a_buffer, double *a, int a_offset, int a_n, int a_s,
         const double *b_buffer, const double *b, int b_offset, int b_n,
         int b_s) {
  for (int i = 0; i < a_n && i < b_n; ++i)
    a[i * a_s] += b[i * b_s];
}

void scale(float *buffer, float *data, int offset, int n, int s, float factor) {
  for (int i = 0; i < n; ++i)
    data[i * s] *= factor;
}

void fill(uint8_t *buffer, uint8_t *data, int8_t offset, int8_t n, int8_t s,
          uint8_t value) {
  for (int i = 0; i < n; ++i)
    data[i * s] = value;
}

void measure(int *result) { *result = 42; }

double half(double value) { return value / 2; }

static void hidden(double value) {}
void use_hidden(void) { hidden(1); }

int not_a_function = 3;

void look(const double *buffer, const double *data, int offset, int n, int m,
          int s_n, int s_m) {}
void glance(const int *result) {}
