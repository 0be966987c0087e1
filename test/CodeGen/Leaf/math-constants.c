// Math functions of what is constant once loops are unrolled: computed by the
// compiler, with the bits that the same functions give for numbers in memory.
// RUN: %sluice run %s > %t.near && FileCheck %s < %t.near
// RUN: env SLUICE_WORKERS=3 %sluice run %s | diff %t.near -
// RUN: %sluice run --reference %s | diff %t.near -
// RUN: %sluice run -O0 %s | diff %t.near -
// RUN: %sluice run -O1 %s | diff %t.near -
// RUN: %sluice run -fno-vectorize -fno-slp-vectorize %s | diff %t.near -
// RUN: %sluice run -mprefer-vector-width=128 %s | diff %t.near -
// RUN: %sluice build %s -o %t && %t | FileCheck %s
// RUN: %sluice build -march=x86-64-v3 %s -o %t && %t | FileCheck %s
// RUN: %sluice run --math=libm %s | FileCheck %s
// RUN: %sluice run -fmath-errno %s | FileCheck %s
// CHECK: 0 of 6624 differ

#include <hpvm.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
  Rounds = 8,
  Special = 15,
  Ways = Rounds + Special, ///< arguments
  N = 12,                  ///< instances
  Floats = 12,
  Doubles = 12
};

#define FLOATS(x, y)                                                           \
  {expf(x), exp2f(x), logf(x), log2f(x), log10f(x), tanhf(x),                  \
   erff(x), sinf(x),  cosf(x), tanf(x),  powf(x, y), erfcf(x)}
#define DOUBLES(x, y)                                                          \
  {exp(x), exp2(x), log(x), log2(x), log10(x), tanh(x),                        \
   erf(x), sin(x),  cos(x), tan(x),  pow(x, y), erfc(x)}

#define SPECIAL                                                                \
  {0.0f,     -0.0f,     1.0f, -1.0f,  0.5f, INFINITY,  -INFINITY, NAN,         \
   1e-40f, -1e-40f, 1e10f, -3e38f, 88.5f, 0x1p27f, -745.0f}

#define STORE(x, y, way)                                                       \
  do {                                                                         \
    const float floats[] = FLOATS(x, y);                                       \
    const double doubles[] = DOUBLES((double)(x), y);                          \
    for (int n = 0; n != Floats; ++n)                                          \
      f[(i * Ways + (way)) * Floats + n] = floats[n];                          \
    for (int n = 0; n != Doubles; ++n)                                         \
      d[(i * Ways + (way)) * Doubles + n] = doubles[n];                        \
  } while (0)

// Products and sums are exact.
void constants(float *f, size_t fBytes, double *d, size_t dBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 2, f, d);
  void *node = __hpvm__getNode();
  long i = __hpvm__getNodeInstanceID_x(node);
  long count = __hpvm__getNumNodeInstances_x(node);
  float local[Rounds];
  for (int k = 0; k != Rounds; ++k)
    local[k] = (float)(k * count) * 0.125f - 5;
  for (int k = 0; k != Rounds; ++k)
    STORE(local[k], local[Rounds - 1 - k], k);
  static const float special[] = SPECIAL;
#pragma clang loop unroll(full)
  for (int k = 0; k != Special; ++k)
    STORE(special[k], k * 0.5f - 2, Rounds + k);
}

// The same of numbers in memory.
void values(float *f, size_t fBytes, double *d, size_t dBytes, float *x,
            size_t xBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, x, 2, f, d);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  for (int k = 0; k != Ways; ++k)
    STORE(x[2 * k], x[2 * k + 1], k);
}

void root(float *f, size_t fBytes, double *d, size_t dBytes, float *g,
          size_t gBytes, double *e, size_t eBytes, float *x, size_t xBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, x, 4, f, d, g, e);
  void *first = __hpvm__createNodeND(1, constants, (long)N);
  for (int port = 0; port != 4; ++port)
    __hpvm__bindIn(first, port, port, 0);
  void *second = __hpvm__createNodeND(1, values, (long)N);
  for (int port = 0; port != 6; ++port)
    __hpvm__bindIn(second, port + 4, port, 0);
}

struct __attribute__((packed)) Arguments {
  float *f;
  size_t fBytes;
  double *d;
  size_t dBytes;
  float *g;
  size_t gBytes;
  double *e;
  size_t eBytes;
  float *x;
  size_t xBytes;
};

enum { NumFloats = N * Ways * Floats, NumDoubles = N * Ways * Doubles };

int main(void) {
  static float f[NumFloats], g[NumFloats], x[2 * Ways];
  static double d[NumDoubles], e[NumDoubles];
  const float special[] = SPECIAL;
  for (int k = 0; k != Rounds; ++k) {
    x[2 * k] = (float)(k * N) * 0.125f - 5;
    x[2 * k + 1] = (float)((Rounds - 1 - k) * N) * 0.125f - 5;
  }
  for (int k = 0; k != Special; ++k) {
    x[2 * (Rounds + k)] = special[k];
    x[2 * (Rounds + k) + 1] = k * 0.5f - 2;
  }
  struct Arguments arguments = {f, sizeof(f), d, sizeof(d), g, sizeof(g),
                                e, sizeof(e), x, sizeof(x)};
  __hpvm__init();
  void *graph = __hpvm__launch(0, root, &arguments);
  __hpvm__wait(graph);
  __hpvm__cleanup();
  int differ = 0;
  for (int i = 0; i != NumFloats; ++i)
    if (memcmp(&f[i], &g[i], sizeof(f[i])) != 0 && !(isnan(f[i]) && isnan(g[i])))
      if (differ++ == 0)
        printf("float %d of %a: %a instead of %a\n", i % Floats,
               x[2 * (i / Floats % Ways)], f[i], g[i]);
  for (int i = 0; i != NumDoubles; ++i)
    if (memcmp(&d[i], &e[i], sizeof(d[i])) != 0 && !(isnan(d[i]) && isnan(e[i])))
      if (differ++ == 0)
        printf("double %d of %a: %a instead of %a\n", i % Doubles,
               x[2 * (i / Doubles % Ways)], d[i], e[i]);
  unsigned long hash = 14695981039346656037ul;
  for (int i = 0; i != NumFloats; ++i) {
    unsigned bits = 0;
    if (!isnan(f[i]))
      memcpy(&bits, &f[i], sizeof(bits));
    hash = (hash ^ bits) * 1099511628211ul;
  }
  printf("%d of %d differ\n", differ, NumFloats + NumDoubles);
  printf("%lx\n", hash);
}
