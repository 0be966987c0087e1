// Reductions that the program declares: of numbers, and of objects all of whose
// members are joined by one operator. Others stay with LLVM's library. C computes
// with an int of small numbers and truth values; of some operators, the value
// that copies begin with may be joined as often as one likes.
// RUN: env SLUICE_WORKERS=1 %sluice run %s | FileCheck %s --match-full-lines
// RUN: env SLUICE_WORKERS=2 %sluice run %s | FileCheck %s --match-full-lines
// RUN: env SLUICE_WORKERS=5 %sluice run %s | FileCheck %s --match-full-lines
// CHECK: 499501 14985 499501 30 499500 30 499500 2000 499500 499500
// CHECK-NEXT: 10 200 10 100 100 0 1 1 -54
// CHECK-NEXT: 1 0 1 0
// CHECK-NEXT: 150033 255 0 1000
// CHECK-NEXT: 7 53010 -4
// RUN: %sluice check --diagnostics=json %s 2>&1 | grep -c 'nothing was checked here' | FileCheck %s --check-prefix=LEFT --match-full-lines
// LEFT: 3
// RUN: %sluice check -DTAKEN --require-proof %s | FileCheck %s --check-prefix=PROVEN
// PROVEN: proven free of races
#include <stdbool.h>
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
static int v[n];
static signed char sc[n];
static unsigned char uc[n];
#pragma omp declare reduction(best : signed char : omp_out = omp_out > omp_in ? omp_out : omp_in) initializer(omp_priv = -128)
#pragma omp declare reduction(best : unsigned char : omp_out = omp_out > omp_in ? omp_out : omp_in) initializer(omp_priv = 0)
#pragma omp declare reduction(some : int : omp_out = omp_out > omp_in ? omp_out : omp_in) initializer(omp_priv = 7)
#pragma omp declare reduction(all : bool : omp_out = omp_out && omp_in) initializer(omp_priv = true)
#pragma omp declare reduction(all : int : omp_out = omp_out && omp_in) initializer(omp_priv = 5)
#pragma omp declare reduction(any : int : omp_out = omp_out || omp_in) initializer(omp_priv = 0)
#pragma omp declare reduction(sum : int : omp_out += omp_in) initializer(omp_priv = 0)
#pragma omp declare reduction(bits : int : omp_out |= omp_in) initializer(omp_priv = 0)
#pragma omp declare reduction(product : int : omp_out *= omp_in) initializer(omp_priv = 1)
static void small(void) {
  signed char m = -128, bm = -128, su = 0; unsigned char u = 0, um = 255, an = 255; short sm = -7; bool b = true, ob = false;
#pragma omp parallel for reduction(best : m, u) reduction(max : bm, sm) reduction(min : um) reduction(& : an) reduction(&& : b) reduction(|| : ob) reduction(+ : su)
  for (int i = 0; i < n; i++) {
    if (sc[i] > m) m = sc[i];
    if (uc[i] > u) u = uc[i];
    bm = bm > sc[i] ? bm : sc[i]; sm = sm > v[i] ? sm : v[i]; um = um < uc[i] ? um : uc[i];
    an &= uc[i]; b = b && v[i] >= 0; ob = ob || v[i] == 77; su += sc[i];
  }
  printf("%d %d %d %d %d %d %d %d %d\n", m, u, bm, sm, um, an, b, ob, su);
}
static void truths(void) {
  bool b = true; int none = 4, any = 0, neither = 0;
#pragma omp parallel for reduction(all : b, none) reduction(any : any, neither)
  for (int i = 0; i < n; i++) { b = b && v[i] >= 0; none = none && v[i] != 33; any = any || v[i] == 33; neither = neither || v[i] < 0; }
  printf("%d %d %d %d\n", b, none, any, neither);
}
static void region(void) {
  int s = 3, o = 3, p = 3; double e = 0;
#pragma omp parallel reduction(sum : s) reduction(bits : o) reduction(product : p) reduction(+ : e)
  {
#pragma omp for
    for (int i = 0; i < n; i++) { s += v[i]; o |= v[i]; p *= v[i]; e += 1; }
#pragma omp for
    for (int i = 0; i < n; i++) { s += 2 * v[i]; o |= 2 * v[i]; p *= 2; }
  }
  printf("%d %d %d %g\n", s, o, p, e);
}
static void first(int from) {
  int m = -3, k = 0, none = -4;
#pragma omp parallel for reduction(some : m)
  for (int i = 0; i < n; i++) m = m > -v[i] ? m : -v[i];
#pragma omp parallel for reduction(+ : k)
  for (int i = 0; i < n; i++) { int t = k + v[i]; for (int j = 0; j < 3; ++j) t += j; k = t; y[i] = v[i]; }
#pragma omp parallel for reduction(some : none)
  for (int i = from; i < 5; i++) none = none > v[i] ? none : v[i];
  printf("%d %d %d\n", m, k, none);
}
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
  for (int i = 0; i < n; i++) { v[i] = (i * 37) % 101; sc[i] = v[i] - 90; uc[i] = 200 - v[i]; }
  small(); truths(); region(); first(n);
}
