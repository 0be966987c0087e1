// Reductions that the program declares: of numbers, and of objects all of whose
// members are joined by one operator. Others stay with LLVM's library.
// RUN: env SLUICE_WORKERS=1 %sluice run %s | FileCheck %s --match-full-lines
// RUN: env SLUICE_WORKERS=2 %sluice run %s | FileCheck %s --match-full-lines
// RUN: env SLUICE_WORKERS=5 %sluice run %s | FileCheck %s --match-full-lines
// CHECK: 499501 14985 499501 30 499500 30 499500 2000 499500 499500
// RUN: %sluice check --diagnostics=json %s 2>&1 | grep -c 'nothing was checked here' | FileCheck %s --check-prefix=LEFT --match-full-lines
// LEFT: 3
// RUN: %sluice check -DTAKEN --require-proof %s | FileCheck %s --check-prefix=PROVEN
// PROVEN: proven free of races
#include <stdio.h>
enum { n = 1000 };
static double x[n], y[n];
struct P { double a, b; };
struct R { double a; int b; };
#pragma omp declare reduction(addp : struct P : omp_out.a += omp_in.a, omp_out.b += omp_in.b) initializer(omp_priv = {0, 0})
#pragma omp declare reduction(mixed : struct P : omp_out.a += omp_in.a, omp_out.b = omp_out.b > omp_in.b ? omp_out.b : omp_in.b) initializer(omp_priv = {0, 0})
#pragma omp declare reduction(addr : struct R : omp_out.a += omp_in.a, omp_out.b += omp_in.b) initializer(omp_priv = {0, 0})
#pragma omp declare reduction(mine : double : omp_out += omp_in) initializer(omp_priv = 0)
#pragma omp declare reduction(most : int : omp_out = omp_out > omp_in ? omp_out : omp_in) initializer(omp_priv = -1)
#pragma omp declare reduction(cross : struct P : omp_out.a += omp_in.b, omp_out.b += omp_in.a) initializer(omp_priv = {0, 0})
#pragma omp declare reduction(half : struct P : omp_out.a += omp_in.a) initializer(omp_priv = {0, 0})
int main(void) {
  for (int i = 0; i < n; ++i) { x[i] = i; y[i] = (i * 7) % 31; }
  struct P p = {1, 2}, q = {0, 0}, h = {0, 5}; struct R r = {0, 0}; double s = 1; int m = -1;
#pragma omp parallel for reduction(addp : p) reduction(mine : s)
  for (int i = 0; i < n; i++) { p.a += x[i]; p.b += y[i]; s += x[i]; }
#pragma omp parallel for reduction(most : m) schedule(dynamic)
  for (int i = 0; i < n; i++) if (y[i] > m) m = y[i];
#ifndef TAKEN
#pragma omp parallel for reduction(mixed : q)
  for (int i = 0; i < n; i++) { q.a += x[i]; q.b = q.b > y[i] ? q.b : y[i]; }
#pragma omp parallel for reduction(addr : r)
  for (int i = 0; i < n; i++) { r.a += x[i]; r.b += 2; }
#pragma omp parallel for reduction(half : h)
  for (int i = 0; i < n; i++) { h.a += x[i]; h.b += 1; }
#endif
  printf("%g %g %g %d %g %g %g %d %g %g\n", p.a, p.b, s, m, q.a, q.b, r.a, r.b, h.a, h.a);
}
