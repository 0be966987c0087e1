// Ids that are shifted by an argument, or by a condition, which LLVM makes of
// 'i == k ? i * 2 : i', beside divisions of ids for which blocks are made: the
// shift was forgotten in whole blocks.
// RUN: %sluice run %s | FileCheck %s
// RUN: %sluice run -O3 %s | FileCheck %s
// RUN: %sluice run --reference %s | FileCheck %s
// CHECK: shifts: 0 wrong
// CHECK-NEXT: choices: 0 wrong

#include <hpvm.h>
#include <stdio.h>

enum { Size = 1024, Count = 1000 };

static inline __attribute__((always_inline)) int shifted(const int *a, long i,
                                                         long k) {
  return a[i & 127] + (int)((i << k) & 65535);
}
static inline __attribute__((always_inline)) int chosen(const int *a, long i,
                                                        long k, long m) {
  return a[(i == k ? i * 2 : i) & 1023] * 2 + a[(i == m ? i * 4 : i) & 1023];
}

void shift(const int *a, size_t aBytes, int *b, size_t bBytes, long k) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, a, 1, b);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  b[i] = shifted(a, i, k);
}
void choose(const int *a, size_t aBytes, int *c, size_t cBytes, long k,
            long m) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, a, 1, c);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  c[i] = chosen(a, i, k, m);
}
void root(const int *a, size_t aBytes, int *b, size_t bBytes, int *c,
          size_t cBytes, long shiftBy, long k, long m, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, a, 2, b, c);
  void *first = __hpvm__createNodeND(1, shift, n);
  __hpvm__bindIn(first, 0, 0, 0);
  __hpvm__bindIn(first, 1, 1, 0);
  __hpvm__bindIn(first, 2, 2, 0);
  __hpvm__bindIn(first, 3, 3, 0);
  __hpvm__bindIn(first, 6, 4, 0);
  void *second = __hpvm__createNodeND(1, choose, n);
  __hpvm__bindIn(second, 0, 0, 0);
  __hpvm__bindIn(second, 1, 1, 0);
  __hpvm__bindIn(second, 4, 2, 0);
  __hpvm__bindIn(second, 5, 3, 0);
  __hpvm__bindIn(second, 7, 4, 0);
  __hpvm__bindIn(second, 8, 5, 0);
}

struct __attribute__((packed)) Arguments {
  const int *a;
  size_t aBytes;
  int *b;
  size_t bBytes;
  int *c;
  size_t cBytes;
  long shiftBy, k, m, n;
};

int main(void) {
  static int a[Size], b[Count], c[Count];
  for (int i = 0; i < Size; ++i)
    a[i] = i * 7 % 1009;
  struct Arguments arguments = {a,        sizeof a, b, sizeof b, c,
                                sizeof c, 2,        63, 2,        Count};
  __hpvm__init();
  __hpvm__wait(__hpvm__launch(0, root, &arguments));
  __hpvm__cleanup();
  int shifts = 0, choices = 0;
  for (volatile int i = 0; i < Count; i = i + 1) {
    shifts += b[i] != shifted(a, i, 2);
    choices += c[i] != chosen(a, i, 63, 2);
  }
  printf("shifts: %d wrong\nchoices: %d wrong\n", shifts, choices);
  return 0;
}
