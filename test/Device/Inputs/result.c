//===- result.c - A graph whose result is a value -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All that comes home from the device are results, one for each launch.
//
//===----------------------------------------------------------------------===//

#include <hpvm.h>
#include <stdio.h>

enum { launches = 6 };

void square(long number) {
  __hpvm__hint(GPU_TARGET);
  long result = number * number;
  __hpvm__return(1, result);
}

void root(long number) {
  __hpvm__hint(CPU_TARGET);
  void *node = __hpvm__createNodeND(0, square);
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindOut(node, 0, 0, 0);
}

typedef struct __attribute__((__packed__)) {
  long number;
  long result;
} Arguments;

int main(void) {
  long sum = 0;
  __hpvm__init();
  for (int launch = 0; launch < launches; ++launch) {
    Arguments arguments = {7, 0};
    __hpvm__wait(__hpvm__launch(0, root, &arguments));
    sum = 10 * sum + arguments.result;
  }
  printf("sum %ld\n", sum);
  __hpvm__cleanup();
  return 0;
}
