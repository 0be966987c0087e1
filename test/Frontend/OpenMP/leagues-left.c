// Iterations of different teams run at once although a critical section, a
// barrier or the end of a loop stands between them, and what each team does
// beside its loop, all of them do, also to what they reduce. Teams have numbers,
// which code elsewhere may ask for. Nothing of that is said to be proven.
// RUN: %sluice run %s | FileCheck %s --match-full-lines
// CHECK: 1000
// RUN: %sluice check --diagnostics=json %s 2>&1 | grep -c "teams and devices are LLVM's library's" | FileCheck %s --check-prefix=LEFT --match-full-lines
// LEFT: 7
// RUN: %sluice check --diagnostics=json -DASKED %s 2>&1 | grep -c "teams and devices are LLVM's library's" | FileCheck %s --check-prefix=ASKED --match-full-lines
// ASKED: 8
// RUN: %sluice check --diagnostics=json -DMISSING %s 2>&1 | grep -c "teams and devices are LLVM's library's" | FileCheck %s --check-prefix=MISSING --match-full-lines
// MISSING: 8
// RUN: not %sluice check --require-proof %s
#include <stdio.h>
#include <unistd.h>

enum { n = 1000 };
static double x[n], y[n];
static int count, others;

static void add(void) {
#pragma omp critical
  count++;
}

#ifdef ASKED
int omp_get_team_num(void);
void omp_set_num_teams(int);
#endif
int missing(int);

static void joined(void) {
  int s = 0, q = 0;
#pragma omp target teams num_teams(4) reduction(+ : s) map(tofrom : s)
  {
    s += 1;
#pragma omp distribute parallel for reduction(+ : s)
    for (int i = 0; i < n; i++)
      s += 2;
  }
#pragma omp teams num_teams(3) reduction(+ : q)
  {
    q += 1;
#pragma omp distribute parallel for
    for (int i = 0; i < n; i++)
      y[i] = i;
  }
  count += s - s + q - q;
}

int main(void) {
  getppid(); // so that the program is not followed to its end
  joined();
#pragma omp target teams distribute parallel for map(tofrom : count)
  for (int i = 0; i < n; i++) {
#pragma omp critical
    count++;
  }
  printf("%d\n", count);
#pragma omp target teams distribute parallel for map(tofrom : count)
  for (int i = 0; i < n; i++)
    add();
#pragma omp target teams
  {
#pragma omp distribute parallel for
    for (int i = 0; i < n; i++)
      x[i] = i;
#pragma omp distribute parallel for
    for (int i = 0; i < n; i++)
      y[i] = x[n - 1 - i];
  }
#pragma omp target teams
#pragma omp distribute
  for (int i = 0; i < n; i++) {
#pragma omp parallel for
    for (int j = 0; j < n; j++)
      y[j] += i;
  }
#pragma omp target teams map(tofrom : others)
  {
    others++;
#pragma omp distribute parallel for
    for (int i = 0; i < n; i++)
      x[i] = i;
  }
#ifdef ASKED
  omp_set_num_teams(2);
#pragma omp teams distribute parallel for
  for (int i = 0; i < n; i++)
    x[i] = omp_get_team_num();
#endif
#ifdef MISSING
#pragma omp teams distribute parallel for num_teams(2)
  for (int i = 0; i < n; i++)
    x[i] = missing(i);
#endif
  return 0;
}
