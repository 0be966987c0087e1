// Sines of large arguments, which vectors compute one by one: the same bits in
// every vector and in plain loops, in loops that LLVM makes vectors of and in
// those that run instances as lanes, and near to what libm computes.
// RUN: %sluice run %s > %t.near && FileCheck %s < %t.near
// RUN: env SLUICE_WORKERS=3 %sluice run %s | diff %t.near -
// RUN: %sluice run --reference %s | diff %t.near -
// RUN: %sluice run --no-lanes %s | diff %t.near -
// RUN: %sluice run -O0 %s | diff %t.near -
// RUN: %sluice run -mprefer-vector-width=512 %s | diff %t.near -
// RUN: %sluice run -mprefer-vector-width=128 %s | diff %t.near -
// CHECK: at most {{[0-3]}} units apart
//
// RUN: %sluice build -march=x86-64-v3 %s --print=asm | FileCheck %s --check-prefix=CODE
// CODE-DAG: sluice_far_sin.each4
// CODE-DAG: sluice_far_cosf.each
// RUN: %sluice build -march=x86-64-v3 --math=libm %s --print=asm | FileCheck %s --check-prefix=LIBM --implicit-check-not=sluice_far
// LIBM: sin@PLT

#include <hpvm.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1009 };

void leaf(double *x, size_t xBytes, double *y, size_t yBytes, float *z,
          size_t zBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, x, 2, y, z);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  y[i] = sin(x[i]) + 0.25 * tan(x[i]);
  z[i] = cosf((float)x[i]) - sinf((float)(x[i] * 1e-3));
  __hpvm__return(1, yBytes);
}

// Instances go round a different number of times.
void roundsLeaf(double *x, size_t xBytes, double *y, size_t yBytes, int *rounds,
                size_t roundsBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, x, y, 2, y, rounds);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  double value = x[i], sum = y[i];
  int round = 0;
  while (fabs(value) > 0.3 && round < 50) {
    sum += cos(value);
    value = value * 0.37 + sin(value);
    ++round;
  }
  y[i] = sum;
  rounds[i] = round;
}

void root(double *x, size_t xBytes, double *y, size_t yBytes, float *z,
          size_t zBytes, int *rounds, size_t roundsBytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, x, 3, y, z, rounds);
  void *first = __hpvm__createNodeND(1, leaf, n);
  for (int port = 0; port != 6; ++port)
    __hpvm__bindIn(first, port, port, 0);
  void *second = __hpvm__createNodeND(1, roundsLeaf, n);
  __hpvm__bindIn(second, 0, 0, 0);
  __hpvm__bindIn(second, 1, 1, 0);
  __hpvm__edge(first, second, 1, 0, 3, 0);
  __hpvm__bindIn(second, 2, 2, 0);
  __hpvm__bindIn(second, 6, 4, 0);
  __hpvm__bindIn(second, 7, 5, 0);
}

struct __attribute__((packed)) Arguments {
  double *x;
  size_t xBytes;
  double *y;
  size_t yBytes;
  float *z;
  size_t zBytes;
  int *rounds;
  size_t roundsBytes;
  long n;
};

int main(void) {
  static double x[N], y[N];
  static float z[N];
  static int rounds[N];
  // Small and large ones side by side, and in whole vectors.
  for (int i = 0; i != N; ++i) {
    x[i] = (i * 7919 % N - N / 2) * 0.37;
    if (i % 13 == 5 || (i / 16) % 5 == 3)
      x[i] = ldexp(x[i], i * 31 % 1000);
  }
  x[17] = INFINITY, x[18] = -INFINITY, x[19] = NAN, x[20] = -0.0;
  struct Arguments arguments = {x, sizeof(x), y,      sizeof(y), z,
                                sizeof(z), rounds, sizeof(rounds), N};
  __hpvm__init();
  __hpvm__wait(__hpvm__launch(0, root, &arguments));
  __hpvm__cleanup();
  unsigned long long hash = 0;
  double most = 0;
  for (int i = 0; i != N; ++i) {
    unsigned long long bits = 0;
    memcpy(&bits, &y[i], sizeof(bits));
    if (y[i] != y[i])
      bits = 0; // whose sign C leaves open
    unsigned ofFloat = 0;
    memcpy(&ofFloat, &z[i], sizeof(ofFloat));
    hash = hash * 1099511628211u + bits + rounds[i];
    hash = hash * 1099511628211u + (z[i] == z[i] ? ofFloat : 0);
    const double expected = cosf((float)x[i]) - sinf((float)(x[i] * 1e-3));
    if (expected == expected)
      most = fmax(most, fabs(z[i] - expected) * 0x1p23);
    else if (z[i] == z[i])
      most = 99;
  }
  printf("%llx, at most %.0f units apart\n", hash, most);
}
