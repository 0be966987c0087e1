// Scans in graphs: below an internal node, behind other nodes and before them,
// of what one of them allocates, and item by item in a stream.
// RUN: sluice check %s 2>&1 | FileCheck %s --check-prefix=VERDICT
// VERDICT: proven free of races
// RUN: sluice run %s | FileCheck %s
// RUN: env SLUICE_WORKERS=4 sluice run %s | FileCheck %s
// RUN: sluice run --no-transforms %s | FileCheck %s
// RUN: env SLUICE_CHECK=1 sluice run %s | FileCheck %s
// CHECK: right
#include <hpvm.h>
#include <stdio.h>
#include <stdlib.h>

// Compaction: which elements are kept, where they go, and moving them there.
void keep(const int *from, size_t fromBytes, int *place, size_t placeBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, from, place, 1, place);
  sluice_scan_exclusive(place, placeBytes, SLUICE_SUM);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  place[i] = from[i] % 3 == 0;
  __hpvm__return(1, placeBytes);
}

void move(const int *from, size_t fromBytes, const int *place,
          size_t placeBytes, int *to, size_t toBytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, from, place, 1, to);
  long written = 0;
  for (long i = 0; i < n; ++i)
    if (from[i] % 3 == 0) {
      to[place[i]] = from[i];
      ++written;
    }
  __hpvm__return(1, written);
}

void compact(const int *from, size_t fromBytes, int *place, size_t placeBytes,
             int *to, size_t toBytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, from, place, 2, place, to);
  void *first = __hpvm__createNodeND(1, keep, n);
  void *second = __hpvm__createNodeND(0, move);
  for (int i = 0; i < 4; ++i)
    __hpvm__bindIn(first, i, i, 0);
  for (int i = 0; i < 3; ++i)
    __hpvm__bindIn(second, i, i, 0);
  __hpvm__edge(first, second, 1, 0, 3, 0);
  for (int i = 4; i < 7; ++i)
    __hpvm__bindIn(second, i, i, 0);
  __hpvm__bindOut(second, 0, 0, 0);
}

void root(const int *from, size_t fromBytes, int *place, size_t placeBytes,
          int *to, size_t toBytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, from, place, 2, place, to);
  void *node = __hpvm__createNodeND(0, compact);
  for (int i = 0; i < 7; ++i)
    __hpvm__bindIn(node, i, i, 0);
  __hpvm__bindOut(node, 0, 0, 0);
}

// A stream: each item adds to what stands in the memory, and is scanned.
void again(int *sums, size_t sumsBytes, int value) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, sums, 1, sums);
  sluice_scan(sums, sumsBytes, SLUICE_SUM);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  sums[i] += value;
  __hpvm__return(1, value);
}

void stream(int *sums, size_t sumsBytes, int value, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, sums, 1, sums);
  void *node = __hpvm__createNodeND(1, again, n);
  for (int i = 0; i < 2; ++i)
    __hpvm__bindIn(node, i, i, 0);
  __hpvm__bindIn(node, 2, 2, 1);
  __hpvm__bindOut(node, 0, 0, 1);
}

struct __attribute__((packed)) Compact {
  const int *from;
  size_t fromBytes;
  int *place;
  size_t placeBytes;
  int *to;
  size_t toBytes;
  long n, written;
};

struct __attribute__((packed)) Stream {
  int *sums;
  size_t sumsBytes;
  int value;
  long n;
};

int main(void) {
  enum { length = 5000, few = 700 };
  static int from[length], place[length], to[length], sums[few], other[few];
  unsigned seed = 7;
  for (int i = 0; i < length; ++i)
    from[i] = (seed = seed * 1103515245u + 12345u) >> 17;
  __hpvm__init();
  llvm_hpvm_track_mem(from, sizeof from);
  llvm_hpvm_track_mem(place, sizeof place);
  llvm_hpvm_track_mem(to, sizeof to);
  llvm_hpvm_track_mem(sums, sizeof sums);
  struct Compact args = {from, sizeof from,   place,  sizeof place,
                         to,   sizeof to, length, 0};
  __hpvm__wait(__hpvm__launch(0, root, &args));
  llvm_hpvm_request_mem(to, sizeof to);
  int right = 1;
  long written = 0;
  for (int i = 0; i < length; ++i)
    if (from[i] % 3 == 0)
      right &= to[written++] == from[i];
  right &= written == args.written;

  struct Stream items = {sums, sizeof sums, 0, few};
  void *graph = __hpvm__launch(1, stream, &items);
  for (int item = 0; item < 6; ++item) {
    items.value = item;
    __hpvm__push(graph, &items);
    int sum = 0;
    for (int i = 0; i < few; ++i)
      other[i] = sum = (int)((unsigned)sum + other[i] + item);
  }
  for (int item = 0; item < 6; ++item)
    __hpvm__pop(graph);
  __hpvm__wait(graph);
  llvm_hpvm_request_mem(sums, sizeof sums);
  for (int i = 0; i < few; ++i)
    right &= sums[i] == other[i];
  __hpvm__cleanup();
  puts(right ? "right" : "wrong");
  return !right;
}
