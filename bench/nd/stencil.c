//===- stencil.c - 100 sweeps of a 5-point stencil ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every sweep is a launch of its own. With GUARDED the grid covers the border
// too, and a guard inside the leaf leaves it alone, as OpenCL programs do. With
// ONE_GRAPH all sweeps are nodes of one graph.
//
//===----------------------------------------------------------------------===//

#include "extents.h"
#include "problems.h"

#include <hpvm.h>

#define WIDTH(ARGUMENT) EXTENT(ARGUMENT, stencilSize)
#ifdef GUARDED
#define BORDER 0
#define ROW_NAME "stencil-guarded"
#else
#define BORDER 1
#ifdef ONE_GRAPH
#define ROW_NAME "stencil-graph"
#else
#define ROW_NAME "stencil"
#endif
#endif

void stencilLeaf(float *from, size_t bytesFrom, float *to, size_t bytesTo,
                 size_t size) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, from, to, 1, to);
  void *node = __hpvm__getNode();
  long x = __hpvm__getNodeInstanceID_x(node) + BORDER;
  long y = __hpvm__getNodeInstanceID_y(node) + BORDER;
  long width = WIDTH(size);
#ifdef GUARDED
  if (x < 1 || x >= width - 1 || y < 1 || y >= width - 1)
    return;
#endif
  long i = y * width + x;
  to[i] = stencilWeight * (from[i] + from[i - 1] + from[i + 1] +
                           from[i - width] + from[i + width]);
#ifdef ONE_GRAPH
  __hpvm__return(1, bytesTo);
#endif
}

#ifdef ONE_GRAPH
/// A sweep from input FROM of the root to input TO; what it reads comes from
/// the sweep before.
#define SWEEP(NODE, FROM, TO)                                                  \
  void *NODE = __hpvm__createNodeND(2, stencilLeaf, WIDTH(size) - 2 * BORDER,  \
                                    WIDTH(size) - 2 * BORDER);                 \
  __hpvm__bindIn(NODE, FROM, 0, 0);                                            \
  __hpvm__bindIn(NODE, TO, 2, 0);                                              \
  __hpvm__bindIn(NODE, TO + 1, 3, 0);                                          \
  __hpvm__bindIn(NODE, 4, 4, 0)
#define NEXT(BEFORE, NODE, FROM, TO)                                           \
  SWEEP(NODE, FROM, TO);                                                       \
  __hpvm__edge(BEFORE, NODE, 1, 0, 1, 0)
#define TWO(BEFORE, FIRST, SECOND)                                             \
  NEXT(BEFORE, FIRST, 0, 2);                                                   \
  NEXT(FIRST, SECOND, 2, 0)
#define EIGHT(BEFORE, N)                                                       \
  TWO(BEFORE, N##1, N##2);                                                     \
  TWO(N##2, N##3, N##4);                                                       \
  TWO(N##4, N##5, N##6);                                                       \
  TWO(N##6, N##7, N##8)

void stencilRoot(float *from, size_t bytesFrom, float *to, size_t bytesTo,
                 size_t size) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, from, to, 2, from, to);
  SWEEP(first, 0, 2);
  __hpvm__bindIn(first, 1, 1, 0);
  NEXT(first, second, 2, 0);
  TWO(second, third, fourth);
  EIGHT(fourth, a);
  EIGHT(a8, b);
  EIGHT(b8, c);
  EIGHT(c8, d);
  EIGHT(d8, e);
  EIGHT(e8, f);
  EIGHT(f8, g);
  EIGHT(g8, h);
  EIGHT(h8, i);
  EIGHT(i8, j);
  EIGHT(j8, k);
  EIGHT(k8, l);
}
_Static_assert(stencilSweeps == 100, "as many as the graph has nodes");
#else
void stencilRoot(float *from, size_t bytesFrom, float *to, size_t bytesTo,
                 size_t size) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, from, to, 1, to);
  void *leaf = __hpvm__createNodeND(2, stencilLeaf, WIDTH(size) - 2 * BORDER,
                                    WIDTH(size) - 2 * BORDER);
  __hpvm__bindIn(leaf, 0, 0, 0);
  __hpvm__bindIn(leaf, 1, 1, 0);
  __hpvm__bindIn(leaf, 2, 2, 0);
  __hpvm__bindIn(leaf, 3, 3, 0);
  __hpvm__bindIn(leaf, 4, 4, 0);
}
#endif

typedef struct __attribute__((__packed__)) {
  float *from;
  size_t bytesFrom;
  float *to;
  size_t bytesTo;
  size_t size;
} StencilArguments;

static const size_t gridBytes = sizeof(float) * stencilSize * stencilSize;

static void sweep(float *from, float *to) {
  StencilArguments arguments = {from, gridBytes, to, gridBytes, stencilSize};
  __hpvm__wait(__hpvm__launch(0, stencilRoot, (void *)&arguments));
}

static void runStencil(void) {
#ifdef ONE_GRAPH
  sweep(stencilFrom, stencilTo);
#else
  for (int i = 0; i < stencilSweeps; i += 2) {
    sweep(stencilFrom, stencilTo);
    sweep(stencilTo, stencilFrom);
  }
#endif
}

static void allocate(void) {
  stencilAllocate();
  llvm_hpvm_track_mem(stencilFrom, gridBytes);
  llvm_hpvm_track_mem(stencilTo, gridBytes);
}

static void release(void) {
  llvm_hpvm_untrack_mem(stencilFrom);
  llvm_hpvm_untrack_mem(stencilTo);
  stencilRelease();
}

int main(void) {
  BenchRow row = STENCIL_ROW(ROW_NAME, runStencil);
  row.allocate = allocate;
  row.release = release;
  __hpvm__init();
  int status = benchServe(&row, 1);
  __hpvm__cleanup();
  return status;
}
