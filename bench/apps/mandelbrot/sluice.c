//===- sluice.c - The Mandelbrot set in HPVM-C ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An instance a pixel: neighbours leave their loops at different times.
//
//===----------------------------------------------------------------------===//

#include "../tracked.h"

#include "problem.h"

void pixelLeaf(int *count, size_t countBytes, float left, float top, float step,
               int most) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 1, count);
  void *self = __hpvm__getNode();
  long column = __hpvm__getNodeInstanceID_x(self);
  long row = __hpvm__getNodeInstanceID_y(self);
  long columns = __hpvm__getNumNodeInstances_x(self);
  count[row * columns + column] =
      countSteps(left + step * (float)column, top + step * (float)row, most);
}

void mandelbrotRoot(int *count, size_t countBytes, float left, float top,
                    float step, int most, size_t columns, size_t rows) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 1, count);
  void *pixel = __hpvm__createNodeND(2, pixelLeaf, columns, rows);
  __hpvm__bindIn(pixel, 0, 0, 0);
  __hpvm__bindIn(pixel, 1, 1, 0);
  __hpvm__bindIn(pixel, 2, 2, 0);
  __hpvm__bindIn(pixel, 3, 3, 0);
  __hpvm__bindIn(pixel, 4, 4, 0);
  __hpvm__bindIn(pixel, 5, 5, 0);
}

typedef struct __attribute__((__packed__)) {
  int *count;
  size_t countBytes;
  float left, top, step;
  int most;
  size_t columns, rows;
} Arguments;

static void run(void) {
  size_t bytes = sizeof(int) * width * height;
  Arguments arguments = {counts,
                         bytes,
                         mandelbrotLeft,
                         mandelbrotTop,
                         mandelbrotSide / (float)width,
                         (int)limit,
                         width,
                         height};
  __hpvm__wait(__hpvm__launch(0, mandelbrotRoot, &arguments));
  llvm_hpvm_request_mem(counts, bytes);
}

int main(void) { return appServeGraphs(); }
