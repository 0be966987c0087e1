// Code for devices on the host: a league of one team, whose loops are graphs as
// those of other parallel regions. Who counts the teams, has LLVM's library.
// RUN: env SLUICE_WORKERS=1 %sluice run %s 2>&1 | FileCheck %s --match-full-lines
// RUN: env SLUICE_WORKERS=2 %sluice run %s 2>&1 | FileCheck %s --match-full-lines
// RUN: env SLUICE_WORKERS=5 %sluice run %s 2>&1 | FileCheck %s --match-full-lines
// RUN: %sluice build -O0 -g %s -o %t && %t | FileCheck %s --match-full-lines
// CHECK: sum 5.997e+06
// CHECK-NEXT: collapsed 187200
// CHECK-NEXT: mapped 3500 6001
// CHECK-NEXT: least 3 17
// CHECK-NEXT: none 0 0
// CHECK-NEXT: loop 4998 42
// RUN: %sluice check --require-proof %s | FileCheck %s --check-prefix=PROVEN
// PROVEN: no problems in 8 graphs with 8 leaves
// PROVEN: proven free of races
// RUN: %sluice check -DTEAMS %s 2>&1 | FileCheck %s --check-prefix=TEAMS
// TEAMS: remark: nothing was checked here: teams and devices are LLVM's library's
// RUN: not %sluice check -DRACY %s 2>&1 | FileCheck %s --check-prefix=RACY
// RACY: error: an iteration of this parallel loop reads 'x' here, where another one writes it at the same time: iterations {{0 and 1|1 and 0}} (i = {{[12]}} and i = {{[12]}}) meet
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

enum { n = 2000, rows = 40 };
static double x[n], y[n], matrix[rows * rows];

static double sum(void) {
  double s = 0;
#pragma omp target teams distribute parallel for map(to : x) map(from : y)     \
    map(tofrom : s) reduction(+ : s)
  for (int i = 0; i < n; i++) {
    y[i] = 3 * x[i];
    s += y[i];
  }
  return s;
}

static double collapsed(void) {
  double s = 0;
#pragma omp target teams distribute parallel for num_teams(8) collapse(2)      \
    dist_schedule(static, 16) thread_limit(64)
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < rows; ++j)
      matrix[i * rows + j] = 3 * (i + j);
  for (int i = 0; i < rows * rows; ++i)
    s += matrix[i];
  return s;
}

static void mapped(int scale) {
#pragma omp target data map(to : x) map(from : y)
  {
#pragma omp target teams distribute parallel for schedule(dynamic, 3)          \
    firstprivate(scale)
    for (int i = 0; i < n; i++)
      y[i] = scale * x[i];
#pragma omp target parallel for simd
    for (long i = 0; i < n; i += 2)
      y[i] += x[i] / 2;
#pragma omp target update from(y)
  }
  printf("mapped %g %g\n", y[1000], y[1001] * 2 - 5);
}

static void least(int from) {
  int low = 1000, last = 0;
#pragma omp target teams distribute parallel for reduction(min : low)          \
    map(tofrom : low) num_threads(4)
  for (int i = n - 1; i >= from; i--)
    low = low < i ? low : i;
#pragma omp teams distribute parallel for lastprivate(last)
  for (unsigned i = 0; i < 18u; ++i)
    last = i;
  printf("least %d %d\n", low, last);
}

static int none(int count, int first) {
  int reached = 0;
#pragma omp target teams distribute parallel for reduction(+ : reached)        \
    map(tofrom : reached)
  for (int i = first; i < count; ++i)
    reached++;
  return reached;
}

static void loop(void) {
#pragma omp target teams loop
  for (unsigned long i = 0; i < n; i++)
    y[i] = 2.5 * x[i];
  printf("loop %g %g\n", y[n - 1] + 0.5, y[16] + 2);
}

#ifdef TEAMS
static int teams(void) {
  int number = 0;
#pragma omp target teams num_teams(2) map(tofrom : number)
#pragma omp distribute parallel for
  for (int i = 0; i < n; ++i)
    if (i == n - 1)
      number = omp_get_team_num();
  return number;
}
#endif

#ifdef RACY
static void racy(void) {
#pragma omp target teams distribute parallel for
  for (int i = 1; i < n; i++)
    x[i] = x[i - 1] + 1;
}
#endif

int main(void) {
  getppid(); // so that the program is not followed to its end
  for (int i = 0; i < n; ++i)
    x[i] = i;
  printf("sum %g\n", sum());
  printf("collapsed %g\n", collapsed());
  mapped(3);
  least(3);
  printf("none %d %d\n", none(0, 0), none(5, 7));
  loop();
#ifdef TEAMS
  printf("%d\n", teams());
#endif
#ifdef RACY
  racy();
#endif
  return 0;
}
