// Sums of floating-point numbers and of an array, whose size is no whole number
// of lines of the cache, below a replicated node, with a value of the last
// instance: the bits are to be equal wherever the leaf runs.
#include <hpvm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
void leaf(float *x, size_t xBytes, float *sum, size_t sumBytes, double *h,
          size_t hBytes, long w) {
  __hpvm__hint(DEVICE);
  __hpvm__attributes(3, x, sum, h, 2, sum, h);
  sluice_reduce(sum, sumBytes, SLUICE_SUM);
  sluice_reduce(h, hBytes, SLUICE_SUM);
  void *node = __hpvm__getNode(), *parent = __hpvm__getParentNode(node);
  long i = __hpvm__getNodeInstanceID_x(node),
       j = __hpvm__getNodeInstanceID_y(node);
  long gx = __hpvm__getNodeInstanceID_x(parent),
       gy = __hpvm__getNodeInstanceID_y(parent);
  long k = ((gy * __hpvm__getNumNodeInstances_x(parent) + gx) * 5 + j) * 7 + i;
  sum[0] += x[k];
  h[(k * 37) % (hBytes / 8)] += x[k] * 0.1;
  __hpvm__return(1, k + w);
}
void group(float *x, size_t xBytes, float *sum, size_t sumBytes, double *h,
           size_t hBytes, long w) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(3, x, sum, h, 2, sum, h);
  void *node = __hpvm__createNodeND(2, leaf, (size_t)7, (size_t)5);
  for (int i = 0; i != 7; ++i)
    __hpvm__bindIn(node, i, i, 0);
  __hpvm__bindOut(node, 0, 0, 0);
}
void root(float *x, size_t xBytes, float *sum, size_t sumBytes, double *h,
          size_t hBytes, long w, size_t a, size_t b) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(3, x, sum, h, 2, sum, h);
  void *node = __hpvm__createNodeND(2, group, a, b);
  for (int i = 0; i != 7; ++i)
    __hpvm__bindIn(node, i, i, 0);
  __hpvm__bindOut(node, 0, 0, 0);
}
struct __attribute__((packed)) Args {
  float *x;
  size_t xb;
  float *s;
  size_t sb;
  double *h;
  size_t hb;
  long w;
  size_t a, b;
  long last;
};
int main(void) {
  __hpvm__init();
  for (int t = 0; t < 12; ++t) {
    size_t a = t * 3 % 7, b = t * t % 11;
    size_t n = a * b * 35;
    float *x = malloc(4 * n + 4);
    for (size_t i = 0; i <= n; ++i)
      x[i] = (i * 7919 % 1013) * 1e-3f - 0.3f;
    float s[3] = {1, 2, 3};
    double h[100];
    for (int i = 0; i < 100; ++i)
      h[i] = i;
    struct Args args = {x, 4 * n + 4, s, sizeof s, h, sizeof h - 8 * t,
                        3, a,         b, 0};
    __hpvm__wait(__hpvm__launch(0, root, &args));
    unsigned long c = 0;
    for (int i = 0; i < 100; ++i) {
      unsigned long v;
      memcpy(&v, h + i, 8);
      c = c * 31 + v;
    }
    printf("%zu %a %a %lx %ld\n", n, s[0], s[1], c, args.last);
  }
  __hpvm__cleanup();
}
