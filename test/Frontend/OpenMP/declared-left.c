// Reductions whose result depends on how many copies there are, or whose
// operator is none of those that graphs know, although it looks like one: it
// has a condition, converts what it joins, joins it several times, or changes
// what it reads; copies begin with what is not neutral, or the loop stores what
// it has reduced so far. They stay with LLVM's library.
// RUN: env SLUICE_WORKERS=1 OMP_NUM_THREADS=1 %sluice run %s | FileCheck %s --match-full-lines
// RUN: env SLUICE_WORKERS=5 OMP_NUM_THREADS=3 %sluice run %s | FileCheck %s --match-full-lines
// CHECK: 100 100 127 0 0 0 10
// RUN: %sluice check --diagnostics=json %s 2>&1 | grep -c 'nothing was checked here' | FileCheck %s --check-prefix=LEFT --match-full-lines
// LEFT: 24
// RUN: %sluice check --diagnostics=json %s 2>&1 | FileCheck %s --check-prefix=SAID
// SAID-DAG: reduces by an operator of its own
// SAID-DAG: reduces around its loop
// SAID-DAG: uses what it has reduced so far
// RUN: %sluice check %s 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: no graphs: nothing was checked
#include <stdio.h>
enum { n = 1000 };
static int x[n];
static double y[n], z[n];
struct S { int a, b; };
static void thrice(int *a, const int *b) { int k = 0; do *a += *b; while (++k < 3); }
#pragma omp declare reduction(most : int : omp_out = omp_out > omp_in ? omp_out : omp_in) initializer(omp_priv = omp_orig)
#pragma omp declare reduction(other : double : omp_out = omp_in > omp_out ? omp_in : omp_out) initializer(omp_priv = omp_orig)
#pragma omp declare reduction(bits : int : omp_out |= omp_in) initializer(omp_priv = omp_orig)
#pragma omp declare reduction(cond : int : omp_in > 100000 ? omp_out += omp_in : 0) initializer(omp_priv = 0)
#pragma omp declare reduction(both : struct S : omp_in.a > 100000 ? (omp_out.a += omp_in.a, omp_out.b += omp_in.b) : 0) initializer(omp_priv = {0, 0})
#pragma omp declare reduction(narrow : int : omp_out = (signed char)(omp_out + omp_in)) initializer(omp_priv = 0)
#pragma omp declare reduction(low : int : omp_out = (signed char)omp_out > (signed char)omp_in ? omp_out : omp_in) initializer(omp_priv = -128)
#pragma omp declare reduction(mixed : signed char : omp_out = omp_out > (unsigned char)omp_in ? omp_out : omp_in) initializer(omp_priv = -128)
#pragma omp declare reduction(rounded : double : omp_out = (float)(omp_out + omp_in)) initializer(omp_priv = 0)
#pragma omp declare reduction(count : int : omp_out = (omp_out != 0) + (omp_in != 0)) initializer(omp_priv = 0)
#pragma omp declare reduction(any : int : omp_out = (omp_out != 0) | (omp_in != 0)) initializer(omp_priv = 0)
#pragma omp declare reduction(nand : int : omp_out = !omp_out && omp_in) initializer(omp_priv = 1)
#pragma omp declare reduction(five : int : omp_out = omp_out != 5 && omp_in != 5) initializer(omp_priv = 1)
#pragma omp declare reduction(changes : int : (omp_in *= 2, omp_out += omp_in)) initializer(omp_priv = 0)
#pragma omp declare reduction(thrice : int : thrice(&omp_out, &omp_in)) initializer(omp_priv = 0)
#pragma omp declare reduction(twice : int : (omp_out += omp_in, omp_out += omp_in)) initializer(omp_priv = 0)
#pragma omp declare reduction(ten : int : omp_out += omp_in) initializer(omp_priv = 10)
#pragma omp declare reduction(two : double : omp_out *= omp_in) initializer(omp_priv = 2)
#pragma omp declare reduction(set : int : omp_out ^= omp_in) initializer(omp_priv = 0xff)
#pragma omp declare reduction(one : struct S : omp_out.a += omp_in.a, omp_out.b += omp_in.b) initializer(omp_priv = {1, 1})
int main(void) {
  extern int getppid(void); getppid(); // so that nothing follows the program
  for (int i = 0; i < n; ++i) { x[i] = (i * 37) % 101; y[i] = x[i]; }
  int m = 3, b = 3, c = 0, e = 0; double d = 3; struct S s = {0, 0}, t = {0, 0}; signed char f = -128;
#pragma omp parallel for reduction(most : m)
  for (int i = 0; i < n; i++) m = m > x[i] ? m : x[i];
#pragma omp parallel for reduction(other : d)
  for (int i = 0; i < n; i++) d = d > y[i] ? d : y[i];
#pragma omp parallel for reduction(bits : b)
  for (int i = 0; i < n; i++) b |= x[i];
#pragma omp parallel for reduction(cond : c)
  for (int i = 0; i < n; i++) c += x[i];
#pragma omp parallel for reduction(both : s)
  for (int i = 0; i < n; i++) { s.a += x[i]; s.b += 1; }
#pragma omp parallel for reduction(mixed : f)
  for (int i = 0; i < n; i++) f = f > x[i] - 90 ? f : x[i] - 90;
  printf("%d %g %d %d %d %d %d\n", m, d, b, c, s.a, s.b, f);
#pragma omp parallel for reduction(narrow : e)
  for (int i = 0; i < n; i++) e = (signed char)(e + x[i]);
#pragma omp parallel reduction(narrow : e)
  {
#pragma omp for
    for (int i = 0; i < n; i++) e += x[i];
  }
#pragma omp parallel for reduction(low : e)
  for (int i = 0; i < n; i++) { int v = x[i] * 300; e = (signed char)e > (signed char)v ? e : v; }
#pragma omp parallel for reduction(rounded : d)
  for (int i = 0; i < n; i++) d += y[i];
#pragma omp parallel for reduction(count : e)
  for (int i = 0; i < n; i++) e += x[i] > 5;
#pragma omp parallel for reduction(any : e)
  for (int i = 0; i < n; i++) e |= x[i];
#pragma omp parallel for reduction(nand : e)
  for (int i = 0; i < n; i++) e = e && x[i] >= 0;
#pragma omp parallel for reduction(five : e)
  for (int i = 0; i < n; i++) e = e && x[i] >= 0;
#pragma omp parallel for reduction(changes : e)
  for (int i = 0; i < n; i++) e += x[i];
#pragma omp parallel for reduction(thrice : e)
  for (int i = 0; i < n; i++) e += x[i];
#pragma omp parallel for reduction(twice : e)
  for (int i = 0; i < n; i++) e += x[i];
#pragma omp parallel for reduction(ten : e)
  for (int i = 0; i < n; i++) e += x[i];
#pragma omp parallel for reduction(two : d)
  for (int i = 0; i < 4; i++) d *= 3;
#pragma omp parallel for reduction(set : e)
  for (int i = 0; i < n; i++) e ^= i;
#pragma omp parallel for reduction(one : t)
  for (int i = 0; i < n; i++) { t.a += x[i]; t.b += 1; }
#pragma omp parallel for reduction(+ : d)
  for (int i = 0; i < n; i++) { d += 1; z[i] = d; }
  e = 0;
#pragma omp parallel for reduction(+ : e)
  for (int i = 0; i < n; i++) if (x[i] > 50) { e++; z[e - 1] = 1; }
#pragma omp parallel reduction(ten : e)
  {
#pragma omp for
    for (int i = 0; i < n; i++) e += x[i];
#pragma omp for
    for (int i = 0; i < n; i++) e += 2 * x[i];
  }
}
