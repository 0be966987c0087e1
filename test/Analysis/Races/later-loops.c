// Each race is found, however many loops stand before it and however long these
// take: what one pair of accesses needs is not taken from the next one's.
// RUN: not sluice check %s 2>&1 | FileCheck %s --implicit-check-not=remark

#include <hpvm.h>

#define NEST                                                                   \
  for (int i = 1; i < 11; i++)                                                 \
    for (int j = 1; j < 11; j++)                                               \
      for (int k = 1; k < 11; k++)
#define PLACE (i * 12 + j) * 12 + k

void work(double *s, size_t sBytes, double *c, size_t cBytes, double *e,
          size_t eBytes, double *f, size_t fBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(4, s, c, e, f, 4, s, c, e, f);
  NEST
  // CHECK-DAG: [[@LINE+1]]:{{[0-9]+}}: error: 'work' writes the same place of argument 's' of 'root' in several instances
  s[PLACE] = c[((i - 1) * 12 + j) * 12 + k];
  NEST
  // CHECK-DAG: [[@LINE+1]]:{{[0-9]+}}: error: 'work' writes the same place of argument 'e' of 'root' in several instances
  e[PLACE] = s[PLACE];
  NEST
  // CHECK-DAG: [[@LINE+1]]:{{[0-9]+}}: error: 'work' writes the same place of argument 'f' of 'root' in several instances
  f[PLACE] = e[PLACE];
}
void root(double *s, size_t sBytes, double *c, size_t cBytes, double *e,
          size_t eBytes, double *f, size_t fBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(4, s, c, e, f, 4, s, c, e, f);
  void *node = __hpvm__createNodeND(1, work, 2);
  for (int i = 0; i < 8; ++i)
    __hpvm__bindIn(node, i, i, 0);
}
