// Nodes whose instances run in order: a wavefront, sweeps, a factorization, and
// what is drawn, proven and refused of them.

// RUN: sluice run %s 2>&1 | FileCheck %s
// RUN: env SLUICE_WORKERS=1 sluice run %s 2>&1 | FileCheck %s
// RUN: env SLUICE_WORKERS=3 sluice run %s 2>&1 | FileCheck %s
// RUN: env SLUICE_WORKERS=5 sluice run --no-transforms %s 2>&1 | FileCheck %s
// RUN: sluice run --reference %s 2>&1 | FileCheck %s
// RUN: env SLUICE_EXECUTOR=sequential sluice run %s 2>&1 | FileCheck %s
// RUN: env SLUICE_CHECK=1 sluice run %s 2>&1 | FileCheck %s
// CHECK: wavefront: 0 wrong
// CHECK: sweeps: 0 wrong
// CHECK: groups: 0 wrong
// CHECK: stream: 0 wrong

// RUN: sluice build --print=dfg %s 2>&1 | FileCheck %s --check-prefix=GRAPH
// GRAPH: dfg.node @tile[ordered %nx, ordered %ny](
// GRAPH: dfg.node @sweep[%nx, ordered %count](
// RUN: sluice build --print=plan %s 2>&1 | FileCheck %s --check-prefix=PLAN
// PLAN: 'wavefront/tile' extents [ordered ? x ordered ?]
// PLAN: 'groups/rows' extents [?][ordered ?], units are the first 2 levels
// RUN: sluice graph %s -o %t.dot
// RUN: FileCheck %s --check-prefix=DRAWN < %t.dot
// DRAWN: in order

// RUN: not sluice check -DTWICE %s 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: error: node 'tile' has ordered dimensions already; name all of them in one call of 'sluice_ordered' [ordered]
// RUN: not sluice check -DTOO_MANY %s 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: error: the set of ordered dimensions is 7, but node 'tile' has 2 dimensions; use SLUICE_X, SLUICE_Y and SLUICE_Z for those it has [ordered]

// The checker knows the order as well: a program that the analysis cannot decide
// about is a race where only one dimension is ordered.
// RUN: env SLUICE_CHECK=1 not sluice run -DHIDDEN %s 2>&1 | FileCheck %s --check-prefix=CHECKED
// CHECKED: error: {{.*}}instance 0 of parent 1 of node 'groups/rows/prefix' reads

#include <hpvm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { Side = 8 };

/// Each element is the sum of those left of it and above, in tiles.
void tile(int *data, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 1, data);
  void *node = __hpvm__getNode();
  long width = __hpvm__getNumNodeInstances_x(node) * Side + 1;
  long tileX = __hpvm__getNodeInstanceID_x(node);
  long tileY = __hpvm__getNodeInstanceID_y(node);
  for (long y = 0; y < Side; ++y)
    for (long x = 0; x < Side; ++x) {
      long at = (tileY * Side + y + 1) * width + tileX * Side + x + 1;
      data[at] = (data[at - 1] + 3 * data[at - width] + data[at - width - 1]) %
                 1000003;
    }
}

void wavefront(int *data, size_t bytes, long width, size_t nx, size_t ny) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 1, data);
  void *node = __hpvm__createNodeND(2, tile, nx, ny);
#if defined TOO_MANY
  sluice_ordered(node, SLUICE_X | SLUICE_Y | SLUICE_Z);
#else
  sluice_ordered(node, SLUICE_X | SLUICE_Y);
#endif
#ifdef TWICE
  sluice_ordered(node, SLUICE_X);
#endif
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
}

/// Sweep y of a stencil, from one half of the memory to the other.
void sweep(int *data, size_t bytes, long width) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 1, data);
  void *node = __hpvm__getNode();
  long x = __hpvm__getNodeInstanceID_x(node);
  long t = __hpvm__getNodeInstanceID_y(node);
  int *from = data + (t & 1) * width, *to = data + (~t & 1) * width;
  int left = x == 0 ? 0 : from[x - 1], right = x == width - 1 ? 0 : from[x + 1];
  to[x] = (left + 2 * from[x] + 5 * right) % 1000003;
}

void sweeps(int *data, size_t bytes, long width, size_t nx, size_t count) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 1, data);
  void *node = __hpvm__createNodeND(2, sweep, nx, count);
  sluice_ordered(node, SLUICE_Y);
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
  __hpvm__bindIn(node, 2, 2, 0);
}

/// Prefix sums of rows: rows are groups, which nothing orders.
void prefix(int *data, size_t bytes, long width) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 1, data);
  void *node = __hpvm__getNode();
  long x = __hpvm__getNodeInstanceID_x(node);
  long row = __hpvm__getNodeInstanceID_x(__hpvm__getParentNode(node));
#ifdef HIDDEN // rows share an element
  if (data[0] == 13)
    row = 0;
#endif
  if (x < width - 1)
    data[row * width + x + 1] += data[row * width + x] % 1009;
}

void rows(int *data, size_t bytes, long width, size_t nx) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 1, data);
  void *node = __hpvm__createNodeND(1, prefix, nx);
  sluice_ordered(node, SLUICE_X);
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
  __hpvm__bindIn(node, 2, 2, 0);
}

void groups(int *data, size_t bytes, long width, size_t nx, size_t ny) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 1, data);
  void *node = __hpvm__createNodeND(1, rows, ny);
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
  __hpvm__bindIn(node, 2, 2, 0);
  __hpvm__bindIn(node, 3, 3, 0);
}

void stream(int *data, size_t bytes, long width, size_t nx, size_t count) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 1, data);
  void *node = __hpvm__createNodeND(2, sweep, nx, count);
  sluice_ordered(node, SLUICE_Y);
  __hpvm__bindIn(node, 0, 0, 1);
  __hpvm__bindIn(node, 1, 1, 1);
  __hpvm__bindIn(node, 2, 2, 1);
}

struct __attribute__((packed)) Arguments {
  int *data;
  size_t bytes;
  long width;
  size_t nx, ny;
};

static void fill(int *data, long count) {
  for (long i = 0; i < count; ++i)
    data[i] = (int)((i * 7919 + 13) % 10007);
}

static void sweepPlain(int *data, long width, long count) {
  for (long t = 0; t < count; ++t)
    for (long x = 0; x < width; ++x) {
      int *from = data + (t & 1) * width, *to = data + (~t & 1) * width;
      int left = x == 0 ? 0 : from[x - 1];
      int right = x == width - 1 ? 0 : from[x + 1];
      to[x] = (left + 2 * from[x] + 5 * right) % 1000003;
    }
}

static int differs(const int *a, const int *b, long count) {
  return memcmp(a, b, sizeof(int) * (size_t)count) != 0;
}

enum { Room = 1 << 17 };
static int data[Room], plain[Room];

static void tilesPlain(long width, long height) {
  for (long y = 1; y < height; ++y)
    for (long x = 1; x < width; ++x) {
      long at = y * width + x;
      plain[at] =
          (plain[at - 1] + 3 * plain[at - width] + plain[at - width - 1]) %
          1000003;
    }
}

int main(void) {
  static const size_t counts[] = {0, 1, 2, 7, 30};
  int wrong[4] = {0};
  __hpvm__init();
  llvm_hpvm_track_mem(data, sizeof data);
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 5; ++j) {
      size_t nx = counts[i], ny = counts[j];
      long width = (long)nx * Side + 1, height = (long)ny * Side + 1;
      struct Arguments args = {data, sizeof(int) * (size_t)(width * height),
                               width, nx, ny};
      llvm_hpvm_request_mem(data, sizeof data);
      fill(data, Room), fill(plain, Room);
      __hpvm__wait(__hpvm__launch(0, wavefront, &args));
      llvm_hpvm_request_mem(data, sizeof data);
      tilesPlain(width, height);
      wrong[0] += differs(data, plain, Room);

      width = (long)nx * 37;
      struct Arguments some = {data, 2 * sizeof(int) * (size_t)width, width,
                               (size_t)width, ny};
      fill(data, Room), fill(plain, Room);
      __hpvm__wait(__hpvm__launch(0, sweeps, &some));
      llvm_hpvm_request_mem(data, sizeof data);
      sweepPlain(plain, width, (long)ny);
      wrong[1] += differs(data, plain, Room);

      struct Arguments rows = {data, sizeof(int) * nx * ny, (long)nx, nx, ny};
      fill(data, Room), fill(plain, Room);
      __hpvm__wait(__hpvm__launch(0, groups, &rows));
      llvm_hpvm_request_mem(data, sizeof data);
      for (size_t y = 0; y < ny; ++y)
        for (size_t x = 0; x + 1 < nx; ++x)
          plain[y * nx + x + 1] += plain[y * nx + x] % 1009;
      wrong[2] += differs(data, plain, Room);
    }
  llvm_hpvm_untrack_mem(data);

  struct Arguments item = {data, 2 * sizeof(int) * 50, 50, 50, 9};
  fill(data, Room), fill(plain, Room);
  void *graph = __hpvm__launch(1, stream, &item);
  for (long i = 0; i < 200; ++i) {
    item.data = data + i * 100;
    __hpvm__push(graph, &item);
    sweepPlain(plain + i * 100, 50, 9);
  }
  __hpvm__wait(graph);
  wrong[3] = differs(data, plain, Room);
  __hpvm__cleanup();
  printf("wavefront: %d wrong\nsweeps: %d wrong\ngroups: %d wrong\n"
         "stream: %d wrong\n",
         wrong[0], wrong[1], wrong[2], wrong[3]);
  return wrong[0] + wrong[1] + wrong[2] + wrong[3];
}
