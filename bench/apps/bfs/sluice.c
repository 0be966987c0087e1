//===- sluice.c - Breadth-first search in HPVM-C --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch a level, an instance a vertex of the frontier. Who is first to give
// a vertex its level appends it to the next frontier.
//
//===----------------------------------------------------------------------===//

#include "../tracked.h"

#include "problem.h"

void expandLeaf(int *starts, size_t startsBytes, int *edge, size_t edgeBytes,
                int *level, size_t levelBytes, int *from, size_t fromBytes,
                int *to, size_t toBytes, int *tail, size_t tailBytes,
                int depth) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(5, starts, edge, level, from, tail, 3, level, to, tail);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  int v = from[i];
  for (int e = starts[v]; e < starts[v + 1]; ++e) {
    int w = edge[e];
    if (__hpvm__atomic_cmpxchg(&level[w], -1, depth) == -1)
      to[__hpvm__atomic_inc(tail)] = w;
  }
}

void levelRoot(int *starts, size_t startsBytes, int *edge, size_t edgeBytes,
               int *level, size_t levelBytes, int *from, size_t fromBytes,
               int *to, size_t toBytes, int *tail, size_t tailBytes, int depth,
               size_t count) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(5, starts, edge, level, from, tail, 3, level, to, tail);
  void *expand = __hpvm__createNodeND(1, expandLeaf, count);
  __hpvm__bindIn(expand, 0, 0, 0);
  __hpvm__bindIn(expand, 1, 1, 0);
  __hpvm__bindIn(expand, 2, 2, 0);
  __hpvm__bindIn(expand, 3, 3, 0);
  __hpvm__bindIn(expand, 4, 4, 0);
  __hpvm__bindIn(expand, 5, 5, 0);
  __hpvm__bindIn(expand, 6, 6, 0);
  __hpvm__bindIn(expand, 7, 7, 0);
  __hpvm__bindIn(expand, 8, 8, 0);
  __hpvm__bindIn(expand, 9, 9, 0);
  __hpvm__bindIn(expand, 10, 10, 0);
  __hpvm__bindIn(expand, 11, 11, 0);
  __hpvm__bindIn(expand, 12, 12, 0);
}

typedef struct __attribute__((__packed__)) {
  int *starts;
  size_t startsBytes;
  int *edge;
  size_t edgeBytes;
  int *level;
  size_t levelBytes;
  int *from;
  size_t fromBytes;
  int *to;
  size_t toBytes;
  int *tail;
  size_t tailBytes;
  int depth;
  size_t count;
} Arguments;

static int tail;

static void run(void) {
  size_t bytes = sizeof(int) * numVertices;
  llvm_hpvm_request_mem(levels, bytes);
  llvm_hpvm_request_mem(frontier, sizeof(int));
  memset(levels, -1, bytes);
  levels[0] = 0;
  frontier[0] = 0;
  Arguments arguments = {edgeStarts,
                         bytes + sizeof(int),
                         edges,
                         sizeof(int) * numEdges,
                         levels,
                         bytes,
                         frontier,
                         bytes,
                         nextFrontier,
                         bytes,
                         &tail,
                         sizeof(tail),
                         0,
                         1};
  while (arguments.count > 0) {
    tail = 0;
    ++arguments.depth;
    __hpvm__wait(__hpvm__launch(0, levelRoot, &arguments));
    llvm_hpvm_request_mem(&tail, sizeof(tail));
    int *other = arguments.from;
    arguments.from = arguments.to;
    arguments.to = other;
    arguments.count = tail;
  }
  llvm_hpvm_request_mem(levels, bytes);
}

int main(void) {
  __hpvm__init();
  llvm_hpvm_track_mem(&tail, sizeof(tail));
  int status = appServe();
  llvm_hpvm_untrack_mem(&tail);
  __hpvm__cleanup();
  return status;
}
