//===- histogram.cpp - Counting bytes with atomic operations --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each group counts its part of the bytes in bins that its instances share,
// then adds them to the bins of all. Instances meet in both, hence the atomic
// additions. An atomic minimum and maximum find the extreme bytes.
//
//===----------------------------------------------------------------------===//

#include "hpvm.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr long Bins = 256, BytesPerLane = 61;

/// A group's bins and their size.
void allocateBins() {
  __hpvm__hint(hpvm::CPU_TARGET);
  size_t SharedBytes = Bins * sizeof(int);
  void *Shared = __hpvm__malloc(SharedBytes);
  __hpvm__return(2, Shared, SharedBytes);
}

/// One lane of a group: one of its bins and every 256th of its bytes.
void countLane(int *Shared, size_t SharedBytes, uint8_t *Bytes,
               size_t BytesSize, int *Counts, size_t CountsBytes, int *Extremes,
               size_t ExtremesBytes) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(4, Shared, Bytes, Counts, Extremes, 3, Shared, Counts,
                     Extremes);
  void *Self = __hpvm__getNode();
  void *Group = __hpvm__getParentNode(Self);
  long Lane = __hpvm__getNodeInstanceID_x(Self);
  long First = __hpvm__getNodeInstanceID_x(Group) * Bins * BytesPerLane + Lane;
  long Size = BytesSize;

  Shared[Lane] = 0;
  __hpvm__barrier();
  for (long Step = 0; Step < BytesPerLane; ++Step) {
    long At = First + Step * Bins;
    if (At < Size)
      __hpvm__atomic_add(&Shared[Bytes[At]], 1);
  }
  __hpvm__barrier();
  if (Shared[Lane] != 0) {
    __hpvm__atomic_add(&Counts[Lane], Shared[Lane]);
    __hpvm__atomic_min(&Extremes[0], int(Lane));
    __hpvm__atomic_max(&Extremes[1], int(Lane));
  }
}

void countGroup(uint8_t *Bytes, size_t BytesSize, int *Counts,
                size_t CountsBytes, int *Extremes, size_t ExtremesBytes) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(3, Bytes, Counts, Extremes, 2, Counts, Extremes);
  void *Allocate = __hpvm__createNodeND(0, allocateBins);
  void *Count = __hpvm__createNodeND(1, countLane, Bins);
  __hpvm__edge(Allocate, Count, 1, 0, 0, 0);
  __hpvm__edge(Allocate, Count, 1, 1, 1, 0);
  __hpvm__bindIn(Count, 0, 2, 0);
  __hpvm__bindIn(Count, 1, 3, 0);
  __hpvm__bindIn(Count, 2, 4, 0);
  __hpvm__bindIn(Count, 3, 5, 0);
  __hpvm__bindIn(Count, 4, 6, 0);
  __hpvm__bindIn(Count, 5, 7, 0);
}

void countRoot(uint8_t *Bytes, size_t BytesSize, int *Counts,
               size_t CountsBytes, int *Extremes, size_t ExtremesBytes,
               long Groups) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(3, Bytes, Counts, Extremes, 2, Counts, Extremes);
  void *Count = __hpvm__createNodeND(1, countGroup, Groups);
  __hpvm__bindIn(Count, 0, 0, 0);
  __hpvm__bindIn(Count, 1, 1, 0);
  __hpvm__bindIn(Count, 2, 2, 0);
  __hpvm__bindIn(Count, 3, 3, 0);
  __hpvm__bindIn(Count, 4, 4, 0);
  __hpvm__bindIn(Count, 5, 5, 0);
}

struct __attribute__((packed)) Arguments {
  uint8_t *Bytes;
  size_t BytesSize;
  int *Counts;
  size_t CountsBytes;
  int *Extremes;
  size_t ExtremesBytes;
  long Groups;
};

/// Bytes between 3 and 250, the middle ones most often.
static std::vector<uint8_t> someBytes(size_t Size) {
  std::vector<uint8_t> Bytes(Size);
  uint32_t State = 1;
  for (uint8_t &Byte : Bytes) {
    State = State * 1664525u + 1013904223u;
    Byte = 3 + (State >> 24) % 124 + (State >> 16 & 255) % 125;
  }
  return Bytes;
}

int main() {
  std::vector<uint8_t> Bytes = someBytes(1000000);
  std::vector<int> Counts(Bins, 0);
  int Extremes[2] = {255, 0};
  long PerGroup = Bins * BytesPerLane;
  Arguments Args = {Bytes.data(),
                    Bytes.size(),
                    Counts.data(),
                    Bins * sizeof(int),
                    Extremes,
                    sizeof(Extremes),
                    (long(Bytes.size()) + PerGroup - 1) / PerGroup};

  __hpvm__init();
  llvm_hpvm_track_mem(Args.Bytes, Args.BytesSize);
  llvm_hpvm_track_mem(Args.Counts, Args.CountsBytes);
  llvm_hpvm_track_mem(Args.Extremes, Args.ExtremesBytes);
  void *Graph = __hpvm__launch(0, countRoot, &Args);
  __hpvm__wait(Graph);
  llvm_hpvm_request_mem(Args.Counts, Args.CountsBytes);
  llvm_hpvm_request_mem(Args.Extremes, Args.ExtremesBytes);
  llvm_hpvm_untrack_mem(Args.Bytes);
  llvm_hpvm_untrack_mem(Args.Counts);
  llvm_hpvm_untrack_mem(Args.Extremes);
  __hpvm__cleanup();

  for (long Byte = 0; Byte != Bins; ++Byte) {
    long Expected = std::count(Bytes.begin(), Bytes.end(), Byte);
    if (Counts[Byte] != Expected) {
      std::fprintf(stderr,
                   "histogram: expected byte %ld %ld times, but the graph "
                   "counted %d\n",
                   Byte, Expected, Counts[Byte]);
      return 1;
    }
  }
  auto [Least, Most] = std::minmax_element(Bytes.begin(), Bytes.end());
  if (Extremes[0] != *Least || Extremes[1] != *Most) {
    std::fprintf(stderr,
                 "histogram: expected bytes from %d to %d, but the graph "
                 "found %d to %d\n",
                 *Least, *Most, Extremes[0], Extremes[1]);
    return 1;
  }
  std::printf("counted %zu bytes from %d to %d\n", Bytes.size(), Extremes[0],
              Extremes[1]);
  std::printf("histogram: ok\n");
}
