//===- ShuffleOp.h - Dense layouts as shuffles of bytes -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// If small pieces are close together, loading 64 consecutive bytes, permuting
// them with one instruction and storing 64 bytes is faster than a load and a
// store per piece. A program does that for a group of instances:
//
//   typed    AA..BBB. AA..BBB. AA..BBB.     one or two loads
//             \ \      \  \     |   |       index of each stored byte
//   packed   AABBBAA BBBAABB B              one store
//
// Unpacking works in the same way; its stores mask out the gaps, which are
// neither read nor written.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACK_KERNELS_SHUFFLEOP_H
#define SLUICE_LIB_PACK_KERNELS_SHUFFLEOP_H

#include "Op.h"

namespace sluice::pack::kernels {

/// Up to four loads, one store. All offsets are relative to the group.
struct ShuffleStep {
  static constexpr int64_t width = 64;
  static constexpr int maximumLoads = 4;

  /// For each stored element, its position in loads 0 and 1 (`near`) or in
  /// loads 2 and 3 (`far`). In units of the program; see ShuffleOp.
  alignas(64) uint8_t nearIndex[width];
  uint8_t farIndex[width];
  /// The stored bytes from loads 2 and 3.
  uint64_t farMask;
  /// The bytes to store.
  uint64_t storeMask;
  /// The required bytes of each load.
  uint64_t loadMask[maximumLoads];
  int32_t loadOffset[maximumLoads];
  int32_t storeOffset;
  int32_t loads;
};

struct ShuffleProgram {
  /// The number of instances that the steps copy together.
  int64_t group;
  int64_t stepCount;
  const ShuffleStep *steps;
  /// The maximum end of the loads and stores if no mask is applied.
  int64_t loadReach;
  int64_t storeReach;
};

struct ShuffleOp : Op {
  ShuffleProgram packProgram;
  ShuffleProgram unpackProgram;
  /// Copies less than a group.
  const Op *few;
  /// The end of the bytes of one instance.
  int64_t high;
};

struct ShuffleFunctions {
  OpFunctions functions;
  /// For steps that fill whole lines.
  OpFunction packLines;
};

/// Functions of ShuffleOp. Programs move units of this many bytes; single bytes
/// require VBMI.
struct ShuffleTable {
  int64_t unit;
  static constexpr int heldSteps = 4;
  static constexpr int heldLoads = 2;
  /// For any program.
  ShuffleFunctions any;
  /// For one step of 3 or 4 loads.
  ShuffleFunctions oneStep[2];
  /// For up to 4 steps of up to 2 loads each, by both numbers from 1.
  ShuffleFunctions held[heldSteps][heldLoads];
};

#if defined(__x86_64__)
extern const ShuffleTable vbmiShuffles;
extern const ShuffleTable wordShuffles;
#endif

} // namespace sluice::pack::kernels

#endif // SLUICE_LIB_PACK_KERNELS_SHUFFLEOP_H
