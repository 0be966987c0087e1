// What is left to LLVM's library, by name.
// RUN: %sluice check %s 2>&1 | FileCheck %s
// RUN: %clang -w -O1 -fopenmp %s -o %t.clang && %t.clang > %t.expected
// RUN: env SLUICE_WORKERS=2 %sluice run -w %s | diff %t.expected -

#include <stdio.h>

double a[100], grid[20][20], cube[5][5][5];

void three(int n) {
  // CHECK: left.c:[[#@LINE+1]]:1: remark: {{.*}}, since it has more than two 'ordered' loops [openmp]
#pragma omp parallel for ordered(3)
  for (int i = 1; i < n; ++i)
    for (int j = 0; j < 5; ++j)
      for (int k = 0; k < 5; ++k) {
#pragma omp ordered depend(sink : i - 1, j, k)
        cube[i][j][k] += cube[i - 1][j][k];
#pragma omp ordered depend(source)
      }
}

void around(int n) {
  // CHECK: left.c:[[#@LINE+1]]:1: remark: {{.*}}, since it does something around the inner of its 'ordered' loops [openmp]
#pragma omp parallel for ordered(2)
  for (int i = 1; i < n; ++i) {
    a[i] = i;
    for (int j = 0; j < 20; ++j) {
#pragma omp ordered depend(sink : i - 1, j)
      grid[i][j] += grid[i - 1][j];
#pragma omp ordered depend(source)
    }
  }
}

void reads(int n) {
  // CHECK: left.c:[[#@LINE+1]]:1: remark: {{.*}}, since it reads around the inner of its 'ordered' loops what that may write [openmp]
#pragma omp parallel for ordered(2)
  for (int i = 1; i < n; ++i) {
    double first = grid[i][0];
    for (int j = 0; j < 20; ++j) {
#pragma omp ordered depend(sink : i - 1, j)
      grid[i][j] += grid[i - 1][j] + first;
#pragma omp ordered depend(source)
    }
  }
}

void sometimes(int n) {
  // CHECK: left.c:[[#@LINE+1]]:1: remark: {{.*}}, since it has 'ordered' in an unusual way [openmp]
#pragma omp parallel for ordered(1)
  for (int i = 1; i < n; ++i) {
    if (i % 2) {
#pragma omp ordered depend(sink : i - 1)
      a[i] += a[i - 1];
    }
#pragma omp ordered depend(source)
  }
}

void sums(int n, double *all) {
  double sum = 0;
  // CHECK: left.c:[[#@LINE+1]]:1: remark: {{.*}}, since it reduces in a loop with 'ordered' [openmp]
#pragma omp parallel for ordered reduction(+ : sum)
  for (int i = 0; i < n; ++i) {
    sum += i;
#pragma omp ordered
    a[i] += i;
  }
  *all = sum;
}

void again(int n) {
  // CHECK: left.c:[[#@LINE+1]]:1: remark: {{.*}}, since it has 'ordered' in an unusual way [openmp]
#pragma omp parallel for ordered
  for (int i = 1; i < n; ++i)
    for (int k = 0; k < 3; ++k) {
#pragma omp ordered
      a[i] = a[i - 1] + 1;
    }
}

void keeps(int n) {
  // CHECK: left.c:[[#@LINE+1]]:1: remark: {{.*}}, since it keeps values from iteration to iteration of the inner of its 'ordered' loops [openmp]
#pragma omp parallel for ordered(2)
  for (int i = 1; i < n; ++i) {
    int seen[4] = {0};
    for (int j = 0; j < 19; ++j) {
#pragma omp ordered depend(sink : i - 1, j)
      grid[i][j] = grid[i - 1][j + seen[1]];
      seen[j % 4] = 1;
#pragma omp ordered depend(source)
    }
  }
}

int main(int argc, char **argv) {
  double all, hash = 0;
  for (int i = 0; i < 400; ++i)
    grid[i / 20][i % 20] = i % 3;
  for (int i = 0; i < 125; ++i)
    cube[i / 25][i / 5 % 5][i % 5] = i % 4;
  three(4 + argc);
  around(19 + argc);
  reads(19 + argc);
  sometimes(2);
  sums(99 + argc, &all);
  for (int i = 0; i < 100; ++i)
    hash = hash * 0.9 + a[i];
  for (int i = 0; i < 400; ++i)
    hash = hash * 0.9 + grid[i / 20][i % 20];
  for (int i = 0; i < 125; ++i)
    hash = hash * 0.9 + cube[i / 25][i / 5 % 5][i % 5];
  printf("%.12g %.12g\n", all, hash);
}
