// A root in another file than its launches, in both orders of the files.
//
// RUN: %sluice run %s %S/Inputs/root.c | FileCheck %s
// RUN: %sluice run %S/Inputs/root.c %s | FileCheck %s
// RUN: %sluice run -DHETERO_SEQUENTIAL %s %S/Inputs/root.c | FileCheck %s

#include <hetero.h>
#include <stdio.h>

void count(int *x, size_t xBytes, int n);

int main(void) {
  int x[10] = {0};
  void *first = __hetero_launch(count, 2, x, sizeof(x), 10, 1, x, sizeof(x));
  void *second = __hetero_launch(count, 2, x, sizeof(x), 10, 1, x, sizeof(x));
  __hetero_wait(second);
  __hetero_wait(first);
  // CHECK: 27
  printf("%d\n", x[9]);
}
