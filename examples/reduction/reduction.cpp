//===- reduction.cpp - Sum of many numbers by trees -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two stages below a root. In the first, each group of instances adds up its
// part of the numbers by a tree in memory that the group shares: in each round
// half of the lanes add what another lane holds, with a barrier after it. In
// the second, one more group adds up the parts; its sum is the root's result.
//
//===----------------------------------------------------------------------===//

#include "hpvm.h"

#include <cstdio>
#include <vector>

constexpr long Lanes = 256;

/// A group's shared memory and its size.
void allocateLanes() {
  __hpvm__hint(hpvm::CPU_TARGET);
  size_t Bytes = Lanes * sizeof(float);
  void *Shared = __hpvm__malloc(Bytes);
  __hpvm__return(2, Shared, Bytes);
}

//===----------------------------------------------------------------------===//
// First stage: numbers to parts
//===----------------------------------------------------------------------===//

/// One lane of a group: takes one number, or none beyond the end.
void sumNumbers(float *Shared, size_t SharedBytes, float *Numbers,
                size_t NumbersBytes, long Count, float *Parts,
                size_t PartsBytes) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(2, Shared, Numbers, 2, Shared, Parts);
  void *Self = __hpvm__getNode();
  void *Group = __hpvm__getParentNode(Self);
  long Lane = __hpvm__getNodeInstanceID_x(Self);
  long Part = __hpvm__getNodeInstanceID_x(Group);
  long Number = Part * Lanes + Lane;

  Shared[Lane] = Number < Count ? Numbers[Number] : 0.0f;
  __hpvm__barrier();
  for (long Half = Lanes / 2; Half > 0; Half /= 2) {
    if (Lane < Half)
      Shared[Lane] += Shared[Lane + Half];
    __hpvm__barrier();
  }
  if (Lane == 0)
    Parts[Part] = Shared[0];
  __hpvm__return(1, PartsBytes);
}

void numbersGroup(float *Numbers, size_t NumbersBytes, long Count, float *Parts,
                  size_t PartsBytes) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(1, Numbers, 1, Parts);
  void *Allocate = __hpvm__createNodeND(0, allocateLanes);
  void *Sum = __hpvm__createNodeND(1, sumNumbers, Lanes);
  __hpvm__edge(Allocate, Sum, 1, 0, 0, 0);
  __hpvm__edge(Allocate, Sum, 1, 1, 1, 0);
  __hpvm__bindIn(Sum, 0, 2, 0);
  __hpvm__bindIn(Sum, 1, 3, 0);
  __hpvm__bindIn(Sum, 2, 4, 0);
  __hpvm__bindIn(Sum, 3, 5, 0);
  __hpvm__bindIn(Sum, 4, 6, 0);
  __hpvm__bindOut(Sum, 0, 0, 0);
}

//===----------------------------------------------------------------------===//
// Second stage: parts to the sum
//===----------------------------------------------------------------------===//

/// One lane of the group: adds every 256th part, then takes part in the tree.
/// Every lane returns the sum.
void sumParts(float *Shared, size_t SharedBytes, float *Parts,
              size_t PartsBytes) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(2, Shared, Parts, 1, Shared);
  long Lane = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  long Count = PartsBytes / sizeof(float);

  float Own = 0.0f;
  for (long Part = Lane; Part < Count; Part += Lanes)
    Own += Parts[Part];
  Shared[Lane] = Own;
  __hpvm__barrier();
  for (long Half = Lanes / 2; Half > 0; Half /= 2) {
    if (Lane < Half)
      Shared[Lane] += Shared[Lane + Half];
    __hpvm__barrier();
  }
  __hpvm__return(1, Shared[0]);
}

void partsGroup(float *Parts, size_t PartsBytes) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(1, Parts, 0);
  void *Allocate = __hpvm__createNodeND(0, allocateLanes);
  void *Sum = __hpvm__createNodeND(1, sumParts, Lanes);
  __hpvm__edge(Allocate, Sum, 1, 0, 0, 0);
  __hpvm__edge(Allocate, Sum, 1, 1, 1, 0);
  __hpvm__bindIn(Sum, 0, 2, 0);
  __hpvm__bindIn(Sum, 1, 3, 0);
  __hpvm__bindOut(Sum, 0, 0, 0);
}

//===----------------------------------------------------------------------===//
// Both stages
//===----------------------------------------------------------------------===//

void sumRoot(float *Numbers, size_t NumbersBytes, long Count, float *Parts,
             size_t PartsBytes) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(2, Numbers, Parts, 1, Parts);
  void *First =
      __hpvm__createNodeND(1, numbersGroup, (Count + Lanes - 1) / Lanes);
  void *Second = __hpvm__createNodeND(0, partsGroup);
  __hpvm__edge(First, Second, 1, 0, 1, 0);
  __hpvm__bindIn(First, 0, 0, 0);
  __hpvm__bindIn(First, 1, 1, 0);
  __hpvm__bindIn(First, 2, 2, 0);
  __hpvm__bindIn(First, 3, 3, 0);
  __hpvm__bindIn(First, 4, 4, 0);
  __hpvm__bindIn(Second, 3, 0, 0);
  __hpvm__bindOut(Second, 0, 0, 0);
}

struct __attribute__((packed)) Arguments {
  float *Numbers;
  size_t NumbersBytes;
  long Count;
  float *Parts;
  size_t PartsBytes;
  float Sum;
};

/// The sum of every \p Stride th of a group's values from \p First on, as the
/// tree adds them.
static float plainTree(const float *Values, long First, long Stride) {
  if (Stride == Lanes)
    return Values[First];
  return plainTree(Values, First, 2 * Stride) +
         plainTree(Values, First + Stride, 2 * Stride);
}

static float plainSum(const std::vector<float> &Numbers) {
  float PerLane[Lanes] = {};
  for (size_t First = 0; First < Numbers.size(); First += Lanes) {
    float Group[Lanes] = {};
    for (long Lane = 0; Lane != Lanes; ++Lane)
      if (First + Lane < Numbers.size())
        Group[Lane] = Numbers[First + Lane];
    PerLane[First / Lanes % Lanes] += plainTree(Group, 0, 1);
  }
  return plainTree(PerLane, 0, 1);
}

int main() {
  constexpr long Count = 1000003;
  std::vector<float> Numbers(Count), Parts((Count + Lanes - 1) / Lanes);
  for (long I = 0; I != Count; ++I)
    Numbers[I] = float(I * 7919 % 10007) / 10007.0f;
  Arguments Args = {Numbers.data(), Numbers.size() * sizeof(float), Count,
                    Parts.data(),   Parts.size() * sizeof(float),
                    /*Sum=*/0.0f};

  __hpvm__init();
  llvm_hpvm_track_mem(Args.Numbers, Args.NumbersBytes);
  llvm_hpvm_track_mem(Args.Parts, Args.PartsBytes);
  void *Graph = __hpvm__launch(0, sumRoot, &Args);
  __hpvm__wait(Graph);
  llvm_hpvm_untrack_mem(Args.Numbers);
  llvm_hpvm_untrack_mem(Args.Parts);
  __hpvm__cleanup();

  float Expected = plainSum(Numbers);
  if (Args.Sum != Expected) {
    std::fprintf(stderr, "reduction: expected %.9g, but the graph gave %.9g\n",
                 Expected, Args.Sum);
    return 1;
  }
  std::printf("sum of %ld numbers: %.1f\n", Count, Args.Sum);
  std::printf("reduction: ok\n");
}
