// A wait for what another section writes under a lock, made by hand: the condition
// of the loop is decided there. One worker would wait for ever.
// RUN: %sluice build -q %s -o %t && env SLUICE_WORKERS=1 %t | FileCheck %s --check-prefix=RUN1
// RUN: %sluice check %s 2>&1 | FileCheck %s --check-prefix=LEFT
// RUN1: 2
// LEFT: since it may wait for other iterations in a loop
#include <stdio.h>
int main(void) {
  int s = 0, x = 0;
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
      int done = 0;
      while (!done) {
#pragma omp critical
        {
          if (s)
            done = 1;
        }
      }
    }
#pragma omp section
    {
#pragma omp critical
      { s = 1; x = 2; }
    }
  }
  printf("%d\n", x);
}
