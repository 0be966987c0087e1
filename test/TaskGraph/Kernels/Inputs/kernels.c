#include <stdint.h>
#include <stdio.h>

#ifndef FACTOR
#define FACTOR 10
#endif

static int numCalls;

void scale(double *base, double *first, int offset, int n, int m, int sn,
           int sm) {
  ++numCalls;
  for (int i = 0; i != n; ++i)
    for (int j = 0; j != m; ++j)
      first[offset + i * sn + j * sm] *= FACTOR;
}

void addTo(double *base, double *first, int64_t offset, int64_t n, int64_t m,
           int64_t sn, int64_t sm, const double *otherBase,
           const double *other, int64_t otherOffset, int64_t otherN,
           int64_t otherM, int64_t otherSn, int64_t otherSm) {
  ++numCalls;
  for (int64_t i = 0; i != n; ++i)
    for (int64_t j = 0; j != m; ++j)
      first[i * sn + j * sm] += other[i * otherSn + j * otherSm];
}

void narrow(int8_t a, uint8_t b, int16_t c, uint16_t d, _Bool e, float f,
            int64_t *sum) {
  ++numCalls;
  *sum = a + b + c + d + e + (int64_t)f;
}

void show(const void *base, const double *first, int offset, int n, int m,
          int sn, int sm, int64_t sum) {
  for (int i = 0; i != n; ++i)
    for (int j = 0; j != m; ++j)
      printf("%g ", first[i * sn + j * sm]);
  printf("sum %ld calls %d\n", (long)sum, numCalls);
}
