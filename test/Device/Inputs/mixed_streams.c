//===- mixed_streams.c - Streams and launches over the same memory --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random phases over a few buffers: streams of items so cheap that the host
// runs several at once, streams with a stage on a device, launches on a device,
// and looks at the memory. Each buffer is compared with what plain code makes
// of it.
//
//===----------------------------------------------------------------------===//

#include <hpvm.h>
#include <stdio.h>
#include <stdlib.h>

enum { length = 64, slots = 4, ahead = 20 };

void add(int seed, int *buffer, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, buffer, 1, buffer);
  for (int i = 0; i < length; ++i)
    buffer[i] += seed + i;
}

void multiply(int seed, int *buffer, size_t bytes) {
  __hpvm__hint(GPU_TARGET);
  __hpvm__attributes(1, buffer, 1, buffer);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  buffer[i] = 3 * buffer[i] + seed;
}

#define BIND(node, streams)                                                    \
  __hpvm__bindIn(node, 0, 0, streams);                                         \
  __hpvm__bindIn(node, 1, 1, streams);                                         \
  __hpvm__bindIn(node, 2, 2, streams);

void hostStream(int seed, int *buffer, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, buffer, 1, buffer);
  void *node = __hpvm__createNodeND(0, add);
  BIND(node, 1)
}

void deviceStream(int seed, int *buffer, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, buffer, 1, buffer);
  void *node = __hpvm__createNodeND(1, multiply, (size_t)length);
  BIND(node, 1)
}

void deviceLaunch(int seed, int *buffer, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, buffer, 1, buffer);
  void *node = __hpvm__createNodeND(1, multiply, (size_t)length);
  BIND(node, 0)
}

struct __attribute__((packed)) Item {
  int seed;
  int *buffer;
  size_t bytes;
};

static int buffers[slots][length];
static unsigned expected[slots][length];
static int numWrong;

static struct Item makeItem(int slot) {
  struct Item item = {rand() % 100, buffers[slot], sizeof buffers[slot]};
  return item;
}

static void expectAdded(int slot, int seed) {
  for (int i = 0; i < length; ++i)
    expected[slot][i] += seed + i;
}

static void expectMultiplied(int slot, int seed) {
  for (int i = 0; i < length; ++i)
    expected[slot][i] = 3 * expected[slot][i] + seed;
}

static void look(int slot) {
  llvm_hpvm_request_mem(buffers[slot], sizeof buffers[slot]);
  for (int i = 0; i < length; ++i)
    numWrong += (unsigned)buffers[slot][i] != expected[slot][i];
}

/// `root` is known at compile time in each copy of this.
#define STREAM(root, expect)                                                   \
  {                                                                            \
    int slot = rand() % slots, numItems = 1 + rand() % 60, numPopped = 0;      \
    struct Item item = makeItem(slot);                                         \
    void *graph = __hpvm__launch(1, root, &item);                              \
    for (int i = 0; i < numItems; ++i) {                                       \
      if (rand() % 3)                                                          \
        slot = rand() % slots;                                                 \
      item = makeItem(slot);                                                   \
      expect(slot, item.seed);                                                 \
      __hpvm__push(graph, &item);                                              \
      while (i + 1 - numPopped > ahead || (numPopped <= i && rand() % 4 == 0)) \
        __hpvm__pop(graph), ++numPopped;                                       \
    }                                                                          \
    while (numPopped++ < numItems)                                             \
      __hpvm__pop(graph);                                                      \
    __hpvm__wait(graph);                                                       \
  }

int main(int count, char **words) {
  int numPhases = count > 1 ? atoi(words[1]) : 200;
  srand(count > 2 ? atoi(words[2]) : 1);
  __hpvm__init();
  for (int slot = 0; slot < slots; ++slot)
    llvm_hpvm_track_mem(buffers[slot], sizeof buffers[slot]);
  for (int phase = 0; phase < numPhases; ++phase) {
    int kind = rand() % 4;
    if (kind == 0) {
      STREAM(hostStream, expectAdded)
    } else if (kind == 1) {
      STREAM(deviceStream, expectMultiplied)
    } else if (kind == 2) {
      int slot = rand() % slots;
      struct Item item = makeItem(slot);
      expectMultiplied(slot, item.seed);
      __hpvm__wait(__hpvm__launch(0, deviceLaunch, &item));
    } else {
      look(rand() % slots);
    }
  }
  for (int slot = 0; slot < slots; ++slot) {
    look(slot);
    llvm_hpvm_untrack_mem(buffers[slot]);
  }
  __hpvm__cleanup();
  printf("%d phases, %d wrong\n", numPhases, numWrong);
  return numWrong != 0;
}
