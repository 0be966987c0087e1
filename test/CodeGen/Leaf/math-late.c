// Whether the compiler knows an operand, and when it comes to know it, changes
// no bit: of powers, of functions that are libm's, of those that flags make
// intrinsics, and of products and sums on processors that round both.
//
// RUN: sluice run %s | FileCheck %s
// RUN: sluice run -O0 %s | FileCheck %s
// RUN: sluice run -g -O0 %s | FileCheck %s
// RUN: sluice run --math=libm %s | FileCheck %s
// RUN: sluice run -fno-math-errno %s | FileCheck %s
// RUN: sluice run -march=x86-64-v2 %s | FileCheck %s
// RUN: sluice run -march=x86-64-v2 -O0 %s | FileCheck %s
// CHECK: all equal

#include <hpvm.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N = 64, Doubles = 7, Floats = 5 };

static double power(double x, double exponent) { return pow(x, exponent); }

#define DOUBLES(e1, e2, e3, e4, t)                                             \
  {pow(x[i], e1), power(x[i], e2), pow(x[i], e3), power(x[i], e4),             \
   exp(t), sinh(t), log(t)}
#define FLOATS(t, a, b, c)                                                     \
  {expf(t), sinhf(t), tgammaf(t), powf(t, 2), a * b + c}

void known(double *x, size_t xBytes, double *d, size_t dBytes, float *f,
           size_t fBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, x, 2, d, f);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  double doubles[Doubles] = DOUBLES(1, 2, -1, 0.5, 3.8040223);
  float floats[Floats] = FLOATS(3.8040223f, 7.1f, 0.1371f, 0.3f);
  for (int k = 0; k < Doubles; ++k)
    d[Doubles * i + k] = doubles[k];
  for (int k = 0; k < Floats; ++k)
    f[Floats * i + k] = floats[k];
}

void unknown(double *x, size_t xBytes, double *d, size_t dBytes, float *f,
             size_t fBytes, double *p, size_t pBytes, float *q,
             size_t qBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(3, x, p, q, 2, d, f);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  double doubles[Doubles] = DOUBLES(p[0], p[1], p[2], p[3], p[4]);
  float floats[Floats] = FLOATS(q[0], q[1], q[2], q[3]);
  for (int k = 0; k < Doubles; ++k)
    d[Doubles * i + k] = doubles[k];
  for (int k = 0; k < Floats; ++k)
    f[Floats * i + k] = floats[k];
}

void knownRoot(double *x, size_t xBytes, double *d, size_t dBytes, float *f,
               size_t fBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, x, 2, d, f);
  void *node = __hpvm__createNodeND(1, known, (size_t)N);
  for (int port = 0; port < 6; ++port)
    __hpvm__bindIn(node, port, port, 0);
}

void unknownRoot(double *x, size_t xBytes, double *d, size_t dBytes, float *f,
                 size_t fBytes, double *p, size_t pBytes, float *q,
                 size_t qBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(3, x, p, q, 2, d, f);
  void *node = __hpvm__createNodeND(1, unknown, (size_t)N);
  for (int port = 0; port < 10; ++port)
    __hpvm__bindIn(node, port, port, 0);
}

static double x[N], d[2][N * Doubles];
static float f[2][N * Floats];
static double p[] = {1, 2, -1, 0.5, 3.8040223};
static float q[] = {3.8040223f, 7.1f, 0.1371f, 0.3f};

struct __attribute__((packed)) Arguments {
  double *x;
  size_t xBytes;
  double *d;
  size_t dBytes;
  float *f;
  size_t fBytes;
  double *p;
  size_t pBytes;
  float *q;
  size_t qBytes;
};

int main(void) {
  for (int i = 0; i < N; ++i)
    x[i] = 0.37 + 1.2345 * i;
  __hpvm__init();
  for (int way = 0; way < 2; ++way) {
    struct Arguments arguments = {x,      sizeof x,    d[way], sizeof d[way],
                                  f[way], sizeof f[way], p,    sizeof p,
                                  q,      sizeof q};
    __hpvm__wait(way ? __hpvm__launch(0, unknownRoot, &arguments)
                     : __hpvm__launch(0, knownRoot, &arguments));
  }
  __hpvm__cleanup();
  int differ = 0;
  for (int i = 0; i < N * Doubles; ++i)
    if (memcmp(&d[0][i], &d[1][i], sizeof(double)))
      printf("double %d: %a, %a\n", i % Doubles, d[0][i], d[1][i]), ++differ;
  for (int i = 0; i < N * Floats; ++i)
    if (memcmp(&f[0][i], &f[1][i], sizeof(float)))
      printf("float %d: %a, %a\n", i % Floats, f[0][i], f[1][i]), ++differ;
  puts(differ ? "some differ" : "all equal");
  return differ != 0;
}
