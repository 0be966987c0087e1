//===- stream_sum.c - Items that add to memory that is not tracked --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each item sees what those before it have added, in an argument and, with
// TRACKED, in one that the tracker knows.
//
//===----------------------------------------------------------------------===//

#include <hpvm.h>
#include <stdio.h>

void add(int *sum, size_t sumBytes, long value) {
  __hpvm__hint(GPU_TARGET);
  __hpvm__attributes(1, sum, 1, sum);
  __hpvm__atomic_add(sum, (int)value);
  __hpvm__return(1, sumBytes);
}

void get(int *sum, size_t sumBytes) {
  __hpvm__hint(GET_TARGET);
  __hpvm__attributes(1, sum, 0);
  __hpvm__return(1, (long)sum[0]);
}

void items(int *sum, size_t sumBytes, long value) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, sum, 1, sum);
  void *first = __hpvm__createNodeND(1, add, (size_t)100);
  void *second = __hpvm__createNodeND(0, get);
  __hpvm__bindIn(first, 0, 0, 0);
  __hpvm__bindIn(first, 1, 1, 0);
  __hpvm__bindIn(first, 2, 2, 1);
  __hpvm__bindIn(second, 0, 0, 0);
  __hpvm__edge(first, second, 1, 0, 1, 1);
  __hpvm__bindOut(second, 0, 0, 1);
}

struct __attribute__((packed)) Item {
  int *sum;
  size_t sumBytes;
  long value;
};

int main(void) {
  enum { numItems = 50 };
  static int total[1];
  __hpvm__init();
#ifdef TRACKED
  llvm_hpvm_track_mem(total, sizeof total);
#endif
  struct Item item = {total, sizeof total, 0};
  void *stream = __hpvm__launch(1, items, &item);
  for (item.value = 1; item.value <= numItems; ++item.value)
    __hpvm__push(stream, &item);
  long expected = 0, wrong = 0;
  for (int i = 1; i <= numItems; ++i) {
    expected += 100 * i;
    wrong += *(long *)__hpvm__pop(stream) != expected;
  }
  __hpvm__wait(stream);
#ifdef TRACKED
  llvm_hpvm_request_mem(total, sizeof total);
  llvm_hpvm_untrack_mem(total);
#endif
  wrong += total[0] != expected;
  printf("%ld of %d items are wrong\n", wrong, numItems);
  __hpvm__cleanup();
}
