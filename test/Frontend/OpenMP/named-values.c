// A static variable to which no pointer leads is not changed by stores of bytes,
// which may go to any other variable: the host reads it before the launch.
// RUN: %sluice build -q -w -O3 %s --print=kernels | FileCheck %s --check-prefix=CODE
// RUN: %sluice run -q -w %s | FileCheck %s
// RUN: env SLUICE_WORKERS=1 %sluice run -q -w -O3 %s | FileCheck %s
// CHECK: 4458 40 8 3

// CODE-LABEL: define {{.*}}blur.openmp1/loop.range"({{.*}}ptr %from, ptr %to
// CODE-NOT: @width
// CODE-NOT: @from
// CODE: ret void

// CODE-LABEL: define {{.*}}known.openmp2/loop.range"(
// CODE: load i32, ptr @reached
// CODE: ret void
//
// CODE-LABEL: define {{.*}}counted.openmp3/loop.range"(
// CODE: load i32, ptr @count
// CODE: ret void

#include <stdio.h>
#include <stdlib.h>

static int width = 64, reached = 5, count = 3;
static unsigned char *from, *to;

__attribute__((noinline)) static void blur(void) {
#pragma omp parallel for
  for (int y = 0; y < 16; ++y)
    for (int x = 1; x < width - 1; ++x)
      to[y * width + x] =
          (from[y * width + x - 1] + from[y * width + x + 1]) >> 1;
}

// A pointer leads to this one,
__attribute__((noinline)) static int known(int n, unsigned char *p) {
  int out[1];
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int before = reached;
    p[i] = 35;
    out[i] = before + reached;
  }
  return out[0];
}

// and iterations write this one themselves.
__attribute__((noinline)) static int counted(int n) {
  int out[1];
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int before = count;
    count = 5;
    out[i] = before + count;
  }
  return out[0];
}

int main(void) {
  from = malloc(1024);
  to = calloc(1024, 1);
  for (int i = 0; i < 1024; ++i)
    from[i] = i % 10;
  blur();
  int sum = 0;
  for (int i = 0; i < 1024; ++i)
    sum += to[i];
  int a = known(1, (unsigned char *)&reached), b = counted(1);
  printf("%d %d %d %d\n", sum, a, b, count - 2);
}
