//===- exit.c - A program that ends while its device compiles -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches four graphs and waits for none. The argument is a time in
// microseconds between the last launch and the end. TURNS makes kernels long.
//
//===----------------------------------------------------------------------===//

#include <hpvm.h>
#include <stdlib.h>
#include <unistd.h>

#ifndef TURNS
#define TURNS 10
#endif
enum { size = 4096 };
static float memory[4][size];

typedef struct __attribute__((__packed__)) {
  float *values;
  size_t bytes;
} Arguments;

#define GRAPH(NUMBER)                                                          \
  void leaf##NUMBER(float *values, size_t bytes) {                             \
    __hpvm__hint(GPU_TARGET);                                                  \
    __hpvm__attributes(1, values, 1, values);                                  \
    long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());                   \
    float value = values[i];                                                   \
    for (int k = 0; k < TURNS + NUMBER; ++k)                                      \
      value = value * 1.5f + NUMBER;                                           \
    values[i] = value;                                                         \
  }                                                                            \
  void root##NUMBER(float *values, size_t bytes) {                             \
    __hpvm__hint(CPU_TARGET);                                                  \
    __hpvm__attributes(1, values, 1, values);                                  \
    void *leaf = __hpvm__createNodeND(1, leaf##NUMBER, (size_t)size);          \
    __hpvm__bindIn(leaf, 0, 0, 0);                                             \
    __hpvm__bindIn(leaf, 1, 1, 0);                                             \
  }

GRAPH(0)
GRAPH(1)
GRAPH(2)
GRAPH(3)

int main(int argc, char **argv) {
  Arguments arguments[4];
  void *launches[4];
  __hpvm__init();
  for (int i = 0; i < 4; ++i) {
    arguments[i] = (Arguments){memory[i], sizeof(memory[i])};
    llvm_hpvm_track_mem(memory[i], sizeof(memory[i]));
  }
  launches[0] = __hpvm__launch(0, root0, &arguments[0]);
  launches[1] = __hpvm__launch(0, root1, &arguments[1]);
  launches[2] = __hpvm__launch(0, root2, &arguments[2]);
  launches[3] = __hpvm__launch(0, root3, &arguments[3]);
  if (argc > 1) {
    usleep((useconds_t)atoi(argv[1]));
    exit(3);
  }
  for (int i = 0; i < 4; ++i)
    __hpvm__wait(launches[i]);
  __hpvm__cleanup();
  return 0;
}
