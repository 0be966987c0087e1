//===- KernelTrial.h - Comparing the speed of two kernels -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No estimate predicts for all layouts and machines whether a compiled kernel
// is faster than the ready-made one. So the first uses of a compiled kernel are
// a trial: both kernels take turns on the program's own data, and the faster
// one is kept.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACK_PACKER_KERNELTRIAL_H
#define SLUICE_LIB_PACK_PACKER_KERNELTRIAL_H

#include "sluice/Base/TwoWays.h"
#include "sluice/Pack/Kernel.h"

#include <atomic>

namespace sluice::pack {

/// A trial for one direction, packing or unpacking. Thread-safe; several
/// threads in a trial only change the order of turns.
class KernelTrial {
public:
  /// Either function packs or unpacks; `first` is kept unless `second` is
  /// faster.
  struct Contestant {
    const Kernel *kernel = nullptr;
    KernelFunction function = nullptr;
  };

  KernelTrial(Contestant first, Contestant second);

  /// Copies with the kernel whose turn it is. Returns the winner with the last
  /// turn, or after many runs with other counts; null before.
  const Kernel *run(const std::byte *in, int64_t count, std::byte *out);

private:
  int turnsNeeded() const;
  /// The faster kernel so far; the second if it has not had a turn yet.
  const Kernel *winner() const;

  /// Turns of each kernel.
  static constexpr int turnsEach = 8;
  /// Copies of about a microsecond take this many times more turns: branch
  /// prediction adapts late, and mispredictions matter much.
  static constexpr int timesShort = 4;
  static constexpr uint64_t shortTicks = 2500;
  static constexpr int maxOthers = 256;

  Contestant contestants[2];
  /// Times are compared for this count only; -1 until the first turn.
  std::atomic<int64_t> countTried = -1;
  std::atomic<int> turns = 0;
  /// Runs of other counts.
  std::atomic<int> others = 0;
  TwoWays<ShortestTime, kernelRules> ways;
};

} // namespace sluice::pack

#endif // SLUICE_LIB_PACK_PACKER_KERNELTRIAL_H
