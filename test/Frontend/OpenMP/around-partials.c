// What threads do with variables that they sum up in may depend on how many
// threads there are, on their order, or on a race. Such regions stay with
// LLVM's library, and nothing in them is said to be proven.
// RUN: %sluice check --diagnostics=json %s 2>&1 | grep -c 'nothing was checked here' | FileCheck %s --match-full-lines
// CHECK: 28
// RUN: %sluice check %s 2>&1 | FileCheck %s --check-prefix=FREE
// FREE: no graphs: nothing was checked
#include <stdio.h>
enum { n = 1000 };
static double x[n], y[n];
static double s, s2, m; static int at; static long sl;
static double *kept;
int main(void) {
  extern int getppid(void); getppid(); // so that nothing follows the program
#pragma omp parallel
  {
    double t = 0;
#pragma omp for
    for (int i = 0; i < n; i++) { t += x[i]; y[i] = t; }
#pragma omp critical
    s += t;
  }
#pragma omp parallel
  {
    double t = 0;
#pragma omp for
    for (int i = 0; i < n; i++) t += x[i];
    s += t;
  }
#pragma omp parallel
  {
    double t = 1;
#pragma omp for
    for (int i = 0; i < n; i++) t += x[i];
#pragma omp critical
    s += t;
  }
#pragma omp parallel
  {
    double t = 0;
#pragma omp for nowait
    for (int i = 0; i < n; i++) t += x[i];
#pragma omp critical(a)
    s += t;
#pragma omp critical(b)
    s += t;
  }
#pragma omp parallel
  {
    double t = 0;
#pragma omp for
    for (int i = 0; i < n; i++) t += x[i];
#pragma omp critical
    s += t;
    if (s > 3) printf("x"); }
#pragma omp parallel
  {
    double t = 0;
#pragma omp for
    for (int i = 0; i < n; i++) t += x[i];
#pragma omp single
    s2 = t;
#pragma omp critical
    s += t;
  }
#pragma omp parallel
  {
    double t = 0;
#pragma omp for
    for (int i = 0; i < n; i++) t += x[i];
    t += 1;
#pragma omp critical
    s += t;
  }
#pragma omp parallel
  {
    double t = 0;
#pragma omp for
    for (int i = 0; i < n; i++) t = x[i] - t;
#pragma omp critical
    s += t;
  }
#pragma omp parallel
  {
    double t = 0;
#pragma omp for
    for (int i = 0; i < n; i++) t += x[i], kept = &t;
#pragma omp critical
    s += t;
  }
#pragma omp parallel reduction(+ : s)
  {
#pragma omp for
    for (int i = 0; i < n; i++) s += x[i];
    s += 1; }
  double f = s / 2;
#pragma omp parallel firstprivate(f)
  {
#pragma omp for
    for (int i = 0; i < n; i++) f += x[i];
#pragma omp critical
    s += f; }
#pragma omp parallel
  {
    double t = 0;
#pragma omp for
    for (int i = 0; i < n; i++) t += x[i];
#pragma omp critical
    { s += t; printf("%g\n", s); } }
#pragma omp parallel
  {
    double t = -1; int a = -1;
#pragma omp for
    for (int i = 0; i < n; i++) if (x[i] > t) { t = x[i]; a = i; }
#pragma omp critical
    if (t > m) { m = t; at = a; } }
#pragma omp parallel
  {
    double t = 0;
#pragma omp for
    for (int i = 0; i < n; i++) t += t + x[i];
#pragma omp critical
    s += t;
  }
#pragma omp parallel
  {
    double t = 0;
#pragma omp for
    for (int i = 0; i < n; i++) if (x[i] < t) t = x[i];
#pragma omp critical
    if (t > m)
      m = t;
  }
#pragma omp parallel
  {
    double t = 0;
#pragma omp for
    for (int i = 0; i < n; i++) if (t < 50) t += x[i];
#pragma omp critical
    s += t;
  }
#pragma omp parallel
  {
    double t = 0;
#pragma omp for
    for (int i = 0; i < n; i++) { if (x[i] > t) t = y[i]; }
#pragma omp critical
    if (t > m)
      m = t;
  }
#pragma omp parallel
  {
    double t = 0;
#pragma omp for nowait
    for (int i = 0; i < n; i++) t += x[i] + s;
#pragma omp critical
    s += t;
  }
#pragma omp parallel
  {
    double t = 0, u = 0;
#pragma omp for
    for (int i = 0; i < n; i++) { t += x[i]; u *= 2; }
#pragma omp critical
    { s += t; s *= u; } }
#pragma omp parallel
  {
    double t = 0;
#pragma omp for
    for (int i = 0; i < n; i++) t += x[i];
#pragma omp critical
    s += t;
#pragma omp for nowait
    for (int i = 0; i < n; i++) y[i] = s; }
#pragma omp parallel
  {
    double t = s;
#pragma omp for nowait
    for (int i = 0; i < n; i++) if (x[i] > t) t = x[i];
#pragma omp critical
    if (t > s) s = t; }
#pragma omp parallel
  {
    double t = 0;
    int records = 0;
#pragma omp for
    for (int i = 0; i < n; i++)
      if (x[i] > t) {
        t = x[i];
        records++;
      }
#pragma omp critical
    {
      at += records;
      if (t > m)
        m = t;
    }
  }
#pragma omp parallel
  {
    double t = 0;
#pragma omp for
    for (int i = 0; i < n; i++)
      if (x[i] > t) {
        t = x[i];
        y[i] = 1;
      }
#pragma omp critical
    if (t > m)
      m = t;
  }
#pragma omp parallel
  {
    double t = 0, u = 0;
#pragma omp for
    for (int i = 0; i < n; i++) {
      t = x[i] > t ? x[i] : t;
      u += x[i];
    }
#pragma omp critical
    if (t > m) {
      m = t;
      s += u;
    }
  }
#pragma omp parallel
  {
    double t = 0;
#pragma omp for
    for (int i = 0; i < n; i++) {
      int isMore = x[i] > t;
      t = isMore ? x[i] : t;
      y[i] = isMore;
    }
#pragma omp critical
    m = t > m ? t : m;
  }
#pragma omp parallel
  {
    double t = 0;
    int z = 0;
#pragma omp for
    for (int i = 0; i < n; i++)
      t = x[i] > t ? x[i] : t;
#pragma omp critical
    if (t > m) {
      m = t;
      z = 1;
    }
#pragma omp for
    for (int i = 0; i < n; i++)
      y[i] = z;
  }
  // Parts of a variable.
#pragma omp parallel
  {
    long t = 0;
#pragma omp for
    for (int i = 0; i < n; i++) { ((char *)&t)[1] = i; t += 1; }
#pragma omp critical
    s += t;
  }
#pragma omp parallel
  {
    long t = 0;
#pragma omp for
    for (int i = 0; i < n; i++) ((unsigned *)&t)[0] += i;
#pragma omp critical
    sl += t;
  }
}
