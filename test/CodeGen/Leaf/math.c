// Math functions in leaves: what every number of workers, every vector and a
// plain loop compute is the same to the bit, and near to what libm computes.
// RUN: %sluice run %s > %t.near && FileCheck %s --check-prefix=NEAR < %t.near
// RUN: env SLUICE_WORKERS=1 %sluice run %s | diff %t.near -
// RUN: env SLUICE_WORKERS=3 %sluice run %s | diff %t.near -
// RUN: %sluice run --reference %s | diff %t.near -
// RUN: %sluice run -fno-vectorize -fno-slp-vectorize %s | diff %t.near -
// RUN: %sluice run -mprefer-vector-width=128 %s | diff %t.near -
// RUN: %sluice run -O1 %s | diff %t.near -
// RUN: %sluice build %s -o %t && %t | FileCheck %s --check-prefix=NEAR
// NEAR: same bits as libm: {{[0-9]+}} of 28084, at most {{[0-9]|1[0-2]}} units apart
// NEAR-NEXT: {{[0-9a-f]+}}
// RUN: %sluice run --math=libm %s | FileCheck %s --check-prefix=LIBM
// RUN: %sluice run -fmath-errno %s | FileCheck %s --check-prefix=LIBM
// LIBM: same bits as libm: 28084 of 28084, at most 0 units apart
//
// Leaves lose the calls, host code keeps them.
// RUN: %sluice build %s --print=llvm > %t.ll
// RUN: FileCheck %s --check-prefix=CODE < %t.ll
// CODE: call {{.*}}float @expf(
// RUN: grep -c "call.* @expf(" %t.ll | FileCheck %s --check-prefix=COUNT
// COUNT: {{^}}1{{$}}
//
// A library of vector functions is used where it is asked for.
// RUN: %sluice build -fveclib=libmvec -march=x86-64-v3 %s --print=llvm | FileCheck %s --check-prefix=VECLIB
// VECLIB: @_ZGVdN8v_expf
// RUN: %sluice build -fveclib=libmvec %s -lmvec -o %t.mvec && %t.mvec | FileCheck %s --check-prefix=MVEC
// MVEC: same bits as libm

#include <hpvm.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1003, Floats = 12, Doubles = 12, Functions = Floats + Doubles + 4 };

#define FLOATS(x, y)                                                           \
  {expf(x),  exp2f(x), logf(x),    log2f(x), log10f(x), tanhf(x),              \
   erff(x),  sinf(x),  cosf(3 * x), tanf(x), powf(x, y), erfcf(x)}
#define DOUBLES(x, y)                                                          \
  {exp(x), exp2(x),   log(x),     log2(x),    log10(x), tanh(x),              \
   erf(x), pow(x, y), sin(x * x), cos(3 * x), tan(x),   erfc(x)}

/// What the leaves compute, by libm.
__attribute__((noinline)) static void expected(float x, float *f, double *d) {
  const float y = 1.75f * x - 3;
  float floats[] = FLOATS(x, y);
  double doubles[] = DOUBLES((double)x, y);
  memcpy(f, floats, sizeof(floats));
  memcpy(d, doubles, sizeof(doubles));
}

void leaf(float *x, size_t xBytes, float *f, size_t fBytes, double *d,
          size_t dBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, x, 2, f, d);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  const float y = 1.75f * x[i] - 3;
  const float floats[] = FLOATS(x[i], y);
  const double doubles[] = DOUBLES((double)x[i], y);
  for (int k = 0; k != Floats; ++k)
    f[k * N + i] = floats[k];
  for (int k = 0; k != Doubles; ++k)
    d[k * N + i] = doubles[k];
  // Operations of libm that are no more than operations.
  d[Doubles * N + i] = sqrt(fabs((double)x[i]));
  d[(Doubles + 1) * N + i] = sqrtf(fabsf(x[i]));
  d[(Doubles + 2) * N + i] = pow(x[i], 2);
  d[(Doubles + 3) * N + i] = pow(x[i], 0.5);
}

void root(float *x, size_t xBytes, float *f, size_t fBytes, double *d,
          size_t dBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, x, 2, f, d);
  void *node = __hpvm__createNodeND(1, leaf, (long)N);
  for (int port = 0; port != 6; ++port)
    __hpvm__bindIn(node, port, port, 0);
}

struct __attribute__((packed)) Arguments {
  float *x;
  size_t xBytes;
  float *f;
  size_t fBytes;
  double *d;
  size_t dBytes;
};

/// How many numbers of the type lie between two.
static long apart(double a, double b, int isFloat) {
  if (isnan(a) || isnan(b))
    return isnan(a) && isnan(b) ? 0 : 1000;
  long first, second;
  if (isFloat) {
    float p = (float)a, q = (float)b;
    int i, j;
    memcpy(&i, &p, 4), memcpy(&j, &q, 4);
    first = i, second = j;
  } else {
    memcpy(&first, &a, 8), memcpy(&second, &b, 8);
  }
  return labs(first - second);
}

int main(void) {
  static float x[N], f[Floats * N];
  static double d[(Doubles + 4) * N];
  for (int i = 0; i != N; ++i)
    x[i] = (float)((i * 7919 % N) * 0.05 - 6);
  x[3] = 0, x[4] = 1, x[5] = INFINITY, x[6] = -INFINITY, x[7] = NAN;
  x[8] = 1e-40f, x[9] = 3e38f, x[10] = -0.0f, x[11] = -150;
  __hpvm__init();
  struct Arguments arguments = {x, sizeof(x), f, sizeof(f), d, sizeof(d)};
  void *graph = __hpvm__launch(0, root, &arguments);
  __hpvm__wait(graph);
  __hpvm__cleanup();
  long most = 0, same = 0;
  for (int i = 0; i != N; ++i) {
    float floats[Floats];
    double doubles[Doubles + 4];
    expected(x[i], floats, doubles);
    doubles[Doubles] = sqrt(fabs((double)x[i]));
    doubles[Doubles + 1] = sqrtf(fabsf(x[i]));
    doubles[Doubles + 2] = pow(x[i], 2);
    doubles[Doubles + 3] = pow(x[i], 0.5);
    for (int k = 0; k != Functions; ++k) {
      const int isFloat = k < Floats, j = isFloat ? k : k - Floats;
      long distance = isFloat ? apart(f[j * N + i], floats[j], 1)
                              : apart(d[j * N + i], doubles[j], 0);
      same += distance == 0;
      most = distance > most ? distance : most;
    }
  }
  unsigned long hash = 14695981039346656037ul;
  for (const unsigned char *bytes = (void *)f; bytes != (void *)(f + Floats * N);
       ++bytes)
    hash = (hash ^ *bytes) * 1099511628211ul;
  for (const unsigned char *bytes = (void *)d; bytes != (void *)(d + (Doubles + 4) * N);
       ++bytes)
    hash = (hash ^ *bytes) * 1099511628211ul;
  printf("same bits as libm: %ld of %d, at most %ld units apart\n", same,
         N * Functions, most);
  printf("%lx\n", hash);
}
