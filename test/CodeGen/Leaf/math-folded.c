// The factors of a small Fourier transform are constants once its loops are
// unrolled, and so are the weights of a filter: nothing is left of the sines and
// exponentials. What depends on an instance is still computed.
// RUN: %sluice build -march=x86-64-v3 %s --print=asm | FileCheck %s --implicit-check-not=sluice_far --implicit-check-not=sinf --implicit-check-not=cosf --implicit-check-not=expf
// RUN: %sluice build -march=x86-64-v3 -DOWN %s --print=asm | FileCheck %s --check-prefix=OWN
// RUN: %sluice build -march=x86-64-v3 %s -o %t && %t | FileCheck %s --check-prefix=NEAR
// CHECK: transform
// OWN: sluice_far
// NEAR: largest difference: {{[0-9.]+}}e-0{{[67]}}

#include <hpvm.h>
#include <math.h>
#include <stdio.h>

void transform(float *in, size_t inBytes, float *out, size_t outBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, in, 1, out);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  float weights[4], sum = 0;
  for (int k = 0; k != 4; ++k)
    sum += weights[k] = expf(-0.5f * k * k);
  for (int k = 0; k != 4; ++k) {
    float re = 0, im = 0;
    for (int j = 0; j != 4; ++j) {
      float angle = -1.57079632679f * (k * j);
#ifdef OWN
      angle *= i;
#endif
      const float weight = weights[j] / sum, *x = in + 8 * i + 2 * j;
      re += weight * (x[0] * cosf(angle) - x[1] * sinf(angle));
      im += weight * (x[0] * sinf(angle) + x[1] * cosf(angle));
    }
    out[8 * i + 2 * k] = re;
    out[8 * i + 2 * k + 1] = im;
  }
}

void root(float *in, size_t inBytes, float *out, size_t outBytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, in, 1, out);
  void *node = __hpvm__createNodeND(1, transform, n);
  for (int port = 0; port != 4; ++port)
    __hpvm__bindIn(node, port, port, 0);
}

struct __attribute__((packed)) Arguments {
  float *in;
  size_t inBytes;
  float *out;
  size_t outBytes;
  long n;
};

enum { N = 1003 };

int main(void) {
  static float in[8 * N], out[8 * N];
  for (int i = 0; i != 8 * N; ++i)
    in[i] = (float)(i * 7919 % 1009) / 1009;
  struct Arguments arguments = {in, sizeof(in), out, sizeof(out), N};
  __hpvm__init();
  void *graph = __hpvm__launch(0, root, &arguments);
  __hpvm__wait(graph);
  __hpvm__cleanup();
  const double weights[] = {1, 0.60653065971, 0.13533528323, 0.01110899654};
  const int cosines[] = {1, 0, -1, 0}, sines[] = {0, -1, 0, 1};
  double sum = weights[0] + weights[1] + weights[2] + weights[3], most = 0;
  for (int i = 0; i != N; ++i)
    for (int k = 0; k != 4; ++k) {
      double re = 0, im = 0;
      for (int j = 0; j != 4; ++j) {
        const double weight = weights[j] / sum;
        const float *x = in + 8 * i + 2 * j;
        int c = cosines[k * j % 4], s = sines[k * j % 4];
        re += weight * (x[0] * c - x[1] * s);
        im += weight * (x[0] * s + x[1] * c);
      }
      most = fmax(most, fabs(re - out[8 * i + 2 * k]));
      most = fmax(most, fabs(im - out[8 * i + 2 * k + 1]));
    }
  printf("largest difference: %g\n", most);
}
