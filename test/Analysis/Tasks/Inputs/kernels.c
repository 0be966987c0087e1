// Kernels that do nothing: what is tested is what waits for what.
#include <stdint.h>

void one(double *base, double *first, int64_t offset, int64_t n, int64_t s) {}
void two(double *base, double *first, int64_t offset, int64_t n, int64_t s,
         double *base2, double *first2, int64_t offset2, int64_t n2,
         int64_t s2) {}
void number(double value) {}
void pointer(double *value) {}
void nothing(void) {}
