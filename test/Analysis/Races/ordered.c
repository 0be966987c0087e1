// Instances that run in order along dimensions of a node do not race with those
// before and behind them.

// RUN: sluice check -DCHAIN %s 2>&1 | FileCheck %s --check-prefix=PROVEN
// RUN: sluice check -DFRONT %s 2>&1 | FileCheck %s --check-prefix=PROVEN
// RUN: sluice check -DROWS %s 2>&1 | FileCheck %s --check-prefix=PROVEN
// PROVEN: proven free of races
// RUN: not sluice check -DCHAIN -DNOT %s 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: not sluice check -DFRONT -DNOT %s 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: not sluice check -DROWS -DNOT %s 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: error: 'leaf' {{reads|writes}}
// A corner that the wavefront does not order.
// RUN: not sluice check -DFRONT -DCORNER %s 2>&1 | FileCheck %s --check-prefix=CORNER
// CORNER: error: 'leaf' reads argument 'data' of 'root' here, where another instance writes it at the same time: instances ({{.*}}) and ({{.*}}) meet

#include <hpvm.h>

void leaf(int *data, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 1, data);
  void *node = __hpvm__getNode();
  long x = __hpvm__getNodeInstanceID_x(node);
#if defined CHAIN
  data[x + 1] += data[x];
#else
  long y = __hpvm__getNodeInstanceID_y(node);
  long width = __hpvm__getNumNodeInstances_x(node);
#if defined ROWS
  // Each element from that above it.
  data[(y + 1) * width + x] += data[y * width + x];
#elif defined CORNER
  data[(y + 1) * 100 + x] += data[y * 100 + x + 1];
#else
  data[(y + 1) * 100 + x + 1] +=
      data[y * 100 + x + 1] + data[(y + 1) * 100 + x] + data[y * 100 + x];
#endif
#endif
}

void root(int *data, size_t bytes, size_t n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 1, data);
#if defined CHAIN
  void *node = __hpvm__createNodeND(1, leaf, n);
  unsigned dimensions = SLUICE_X;
#elif defined ROWS
  void *node = __hpvm__createNodeND(2, leaf, n, n);
  unsigned dimensions = SLUICE_Y;
#else
  void *node = __hpvm__createNodeND(2, leaf, (size_t)90, (size_t)90);
  unsigned dimensions = SLUICE_X | SLUICE_Y;
#endif
#ifndef NOT
  sluice_ordered(node, dimensions);
#endif
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
}

int main(void) {
  static int data[10000];
  struct __attribute__((packed)) {
    int *data;
    size_t bytes, n;
  } args = {data, sizeof data, 90};
  __hpvm__init();
  __hpvm__wait(__hpvm__launch(0, root, &args));
  __hpvm__cleanup();
}
