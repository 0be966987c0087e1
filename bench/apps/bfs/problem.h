//===- problem.h - Breadth-first search --------------------------*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The number of edges from vertex 0 to every vertex, level by level, as in
// Parboil and Rodinia. The graph is random, with 8 edges a vertex, or a grid,
// which has many small levels.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_BFS_H
#define SLUICE_BENCH_BFS_H

#include "../app.h"

enum { degree = 8 };
static long numVertices, numEdges;
static int *edgeStarts, *edges, *levels, *frontier, *nextFrontier, *expected;

static void reset(void) {
  memset(levels, 0, sizeof(int) * (size_t)numVertices);
}

static void makeRandom(void) {
  numEdges = degree * numVertices;
  edges = appInts(numEdges);
  for (long i = 0; i < numEdges; ++i)
    edges[i] = (int)(appRandom() % (uint32_t)numVertices);
  for (long v = 0; v <= numVertices; ++v)
    edgeStarts[v] = (int)(degree * v);
}

static void makeGrid(long side) {
  edges = appInts(4 * numVertices);
  numEdges = 0;
  for (long y = 0; y < side; ++y)
    for (long x = 0; x < side; ++x) {
      long v = y * side + x;
      if (y > 0)
        edges[numEdges++] = (int)(v - side);
      if (x > 0)
        edges[numEdges++] = (int)(v - 1);
      if (x < side - 1)
        edges[numEdges++] = (int)(v + 1);
      if (y < side - 1)
        edges[numEdges++] = (int)(v + side);
      edgeStarts[v + 1] = (int)numEdges;
    }
}

/// With one queue; returns nothing, fills `level`.
static void searchSerial(int *level, int *queue) {
  memset(level, -1, sizeof(int) * (size_t)numVertices);
  long head = 0, tail = 0;
  level[0] = 0;
  queue[tail++] = 0;
  while (head < tail) {
    int v = queue[head++];
    for (int e = edgeStarts[v]; e < edgeStarts[v + 1]; ++e) {
      int w = edges[e];
      if (level[w] == -1) {
        level[w] = level[v] + 1;
        queue[tail++] = w;
      }
    }
  }
}

/// A row is the number of vertices and 0, or the side of a grid and 1.
static void allocate(void) {
  const long isGrid = appNumber(2), size = appNumber(1);
  numVertices = isGrid ? size * size : size;
  edgeStarts = appInts(numVertices + 1);
  levels = appInts(numVertices);
  frontier = appInts(numVertices);
  nextFrontier = appInts(numVertices);
  expected = (int *)appOracle(sizeof(int) * (size_t)numVertices);
  if (isGrid)
    makeGrid(size);
  else
    makeRandom();
  searchSerial(expected, frontier);
}

static const char *verify(void) {
  return appSameInts("level", expected, levels, numVertices);
}

#endif // SLUICE_BENCH_BFS_H
