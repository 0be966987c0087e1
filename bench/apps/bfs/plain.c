//===- plain.c - Breadth-first search in plain loops ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads collect what they find and append it to the next frontier in
// pieces. Without OpenMP a queue.
//
//===----------------------------------------------------------------------===//

#include "problem.h"

#ifdef _OPENMP
enum { pieceSize = 512 };

typedef struct {
  int vertices[pieceSize];
  int count;
} Piece;

static void append(Piece *piece, int *to, int *tail) {
  int at;
#pragma omp atomic capture
  {
    at = *tail;
    *tail += piece->count;
  }
  memcpy(to + at, piece->vertices, sizeof(int) * (size_t)piece->count);
  piece->count = 0;
}

static void expand(int v, int depth, Piece *piece, int *to, int *tail) {
  for (int e = edgeStarts[v]; e < edgeStarts[v + 1]; ++e) {
    int w = edges[e], unseen = -1;
    if (__atomic_load_n(&levels[w], __ATOMIC_RELAXED) != -1 ||
        !__atomic_compare_exchange_n(&levels[w], &unseen, depth, 0,
                                     __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      continue;
    piece->vertices[piece->count++] = w;
    if (piece->count == pieceSize)
      append(piece, to, tail);
  }
}

static void run(void) {
  memset(levels, -1, sizeof(int) * (size_t)numVertices);
  levels[0] = 0;
  frontier[0] = 0;
  int counts[2] = {1, 0};
#pragma omp parallel
  for (int depth = 1; counts[(depth - 1) % 2] > 0; ++depth) {
    const int *from = depth % 2 ? frontier : nextFrontier;
    int *to = depth % 2 ? nextFrontier : frontier;
    const int count = counts[(depth - 1) % 2];
    Piece piece = {.count = 0};
#pragma omp for schedule(dynamic, 256) nowait
    for (int i = 0; i < count; ++i)
      expand(from[i], depth, &piece, to, &counts[depth % 2]);
    append(&piece, to, &counts[depth % 2]);
#pragma omp barrier
#pragma omp single
    counts[(depth - 1) % 2] = 0;
  }
}
#else
static void run(void) { searchSerial(levels, frontier); }
#endif

int main(void) { return appServe(); }
