//===- places.c - A stream with stages on the host and on a device --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// device, host, device; with the argument `placed` the program says: host, host,
// device.
//
//===----------------------------------------------------------------------===//

#include <hpvm.h>
#include <sluice-c/Devices.h>
#include <stdio.h>

enum { length = 2000, slots = 5, items = 40 };

void fill(long seed, int *buffer, size_t bytes) {
  __hpvm__hint(GPU_TARGET);
  __hpvm__attributes(0, 1, buffer);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  buffer[i] = (int)(seed % 8 + i % 10);
  __hpvm__return(1, bytes);
}

void reverse(int *from, size_t fromBytes, int *to, size_t toBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, from, 1, to);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  to[i] = from[length - 1 - i];
  __hpvm__return(1, toBytes);
}

void twentyfold(int *buffer, size_t bytes) {
  __hpvm__hint(GPU_TARGET);
  __hpvm__attributes(1, buffer, 1, buffer);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  buffer[i] = 20 * buffer[i] - 20;
}

void root(long seed, int *one, size_t oneBytes, int *two, size_t twoBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, one, two, 2, one, two);
  void *first = __hpvm__createNodeND(1, fill, (size_t)length);
  void *second = __hpvm__createNodeND(1, reverse, (size_t)length);
  void *third = __hpvm__createNodeND(1, twentyfold, (size_t)length);
  __hpvm__bindIn(first, 0, 0, 1);
  __hpvm__bindIn(first, 1, 1, 1);
  __hpvm__bindIn(first, 2, 2, 1);
  __hpvm__bindIn(second, 1, 0, 1);
  __hpvm__edge(first, second, 1, 0, 1, 1);
  __hpvm__bindIn(second, 3, 2, 1);
  __hpvm__bindIn(second, 4, 3, 1);
  __hpvm__bindIn(third, 3, 0, 1);
  __hpvm__edge(second, third, 1, 0, 1, 1);
}

struct __attribute__((packed)) Item {
  long seed;
  int *one;
  size_t oneBytes;
  int *two;
  size_t twoBytes;
};

static int ones[slots][length], twos[slots][length];

static long finish(void *graph, long number) {
  int *two = twos[number % slots];
  long sum = 0;
  __hpvm__pop(graph);
  llvm_hpvm_request_mem(two, sizeof twos[0]);
  for (int i = 0; i < length; ++i) {
    int expected = 20 * (int)(number % 8 + (length - 1 - i) % 10) - 20;
    if (two[i] != expected) {
      printf("item %ld: [%d] is %d, expected %d\n", number, i, two[i],
             expected);
      return -1000000000;
    }
    sum += two[i];
  }
  return sum;
}

int main(int count, char **words) {
  struct Item item = {0, ones[0], sizeof ones[0], twos[0], sizeof twos[0]};
  long sum = 0;
  __hpvm__init();
  if (count > 1) {
    sluicePlaceNode(root, "root/fill", "host");
    sluicePlaceNode(root, "root/twentyfold", "device");
  }
  for (int slot = 0; slot < slots; ++slot) {
    llvm_hpvm_track_mem(ones[slot], sizeof ones[0]);
    llvm_hpvm_track_mem(twos[slot], sizeof twos[0]);
  }
  void *graph = __hpvm__launch(1, root, &item);
  for (item.seed = 0; item.seed < items; ++item.seed) {
    if (item.seed >= slots)
      sum += finish(graph, item.seed - slots);
    item.one = ones[item.seed % slots];
    item.two = twos[item.seed % slots];
    __hpvm__push(graph, &item);
  }
  for (long last = items - slots; last < items; ++last)
    sum += finish(graph, last);
  __hpvm__wait(graph);
  for (int slot = 0; slot < slots; ++slot) {
    llvm_hpvm_untrack_mem(ones[slot]);
    llvm_hpvm_untrack_mem(twos[slot]);
  }
  __hpvm__cleanup();
  printf("%d items, sum %ld\n", items, sum);
}
