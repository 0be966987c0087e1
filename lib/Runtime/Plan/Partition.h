//===- Partition.h - Splitting a node's units into chunks -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Workers take units in chunks of consecutive units. Chunks are numbered, and
// each worker has a share of the numbers that it takes first. Both depend only
// on the numbers of units and workers, so that a worker uses the same memory in
// every launch of a node.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_PLAN_PARTITION_H
#define SLUICE_RUNTIME_PLAN_PARTITION_H

#include "Extents.h"

#include "sluice/Base/MachineCosts.h"

#include <algorithm>
#include <cstdint>

namespace sluice {

struct UnitRange {
  uint64_t begin;
  uint64_t end;
};

/// `numChunks` chunks of whole granules. A granule is `granule` units; the last
/// one may be shorter.
struct Partition {
  uint64_t units = 0;
  uint64_t granule = 1;
  uint64_t numGranules = 0;
  uint32_t numChunks = 1;

  UnitRange chunk(uint32_t index) const {
    if (numChunks == 1)
      return {0, units};
    return {begin(index), begin(index + 1)};
  }

private:
  uint64_t begin(uint64_t index) const {
    uint64_t whole = numGranules / numChunks, rest = numGranules % numChunks;
    uint64_t granules = whole * index + std::min(index, rest);
    return std::min(granules * granule, units);
  }
};

/// Limit for one node: shares store the numbers of chunks in 32 bits.
constexpr uint32_t maxChunks = 1u << 20;

/// The minimum cost of a chunk, in picoseconds: that of passing it to another
/// worker.
constexpr uint64_t leastChunkCost = 1000 * handOverTime;

/// The best number of chunks for `items` pieces of work of `itemCost`
/// picoseconds each (0: unknown), if a chunk must cost at least `minChunkCost`.
inline uint32_t chooseNumChunks(uint64_t items, uint64_t itemCost,
                                unsigned numWorkers,
                                uint64_t minChunkCost = leastChunkCost) {
  if (numWorkers == 1 || items <= 1)
    return 1;
  uint64_t wanted = 4 * uint64_t(numWorkers);
  if (itemCost) {
    uint64_t total;
    if (__builtin_mul_overflow(items, itemCost, &total))
      total = UINT64_MAX;
    wanted =
        std::clamp<uint64_t>(total / minChunkCost, 1, 8 * uint64_t(numWorkers));
    // Makes equal shares if there are several chunks.
    if (wanted > numWorkers)
      wanted -= wanted % numWorkers;
  }
  return static_cast<uint32_t>(std::min<uint64_t>({wanted, items, maxChunks}));
}

/// Makes chunks of whole steps of `step` units, which a kernel runs at once:
/// part of a step takes as long as all of it, or runs unit by unit. If there
/// are fewer steps than workers, each worker gets a chunk of equal length.
inline void keepStepsWhole(Partition &partition, uint64_t step,
                           unsigned numWorkers) {
  if (step <= 1 || partition.numChunks == 1)
    return;
  const uint64_t numSteps =
      partition.units / step + (partition.units % step != 0);
  partition.numChunks = static_cast<uint32_t>(std::min<uint64_t>(
      partition.numChunks, std::max<uint64_t>(numSteps, numWorkers)));
  if (numSteps < numWorkers)
    return;
  partition.granule = step;
  partition.numGranules = numSteps;
}

/// Splits a node that may be split between any two units. Its kernel runs
/// `step` units at once.
inline Partition splitUnits(const NodeCounts &counts, uint64_t unitCost,
                            unsigned numWorkers,
                            uint64_t minChunkCost = leastChunkCost,
                            uint64_t step = 1) {
  Partition partition;
  partition.units = counts.units;
  partition.numChunks =
      chooseNumChunks(counts.units, unitCost, numWorkers, minChunkCost);
  if (uint64_t least = counts.chunkRows * counts.rowUnits) {
    // Equal shares, and at least one chunk for every worker.
    uint64_t most = counts.units / least / numWorkers * numWorkers;
    partition.numChunks = static_cast<uint32_t>(std::min<uint64_t>(
        partition.numChunks, std::max<uint64_t>(most, numWorkers)));
  }
  // Whole rows keep the kernels' inner loops long; otherwise chunks of 64 units
  // share few cache lines.
  const uint64_t line = std::max<uint64_t>(64, step);
  uint64_t spare = 4 * uint64_t(partition.numChunks);
  uint64_t rows = counts.rowUnits ? counts.units / counts.rowUnits : 0;
  if (rows >= (step > 1 ? partition.numChunks : spare))
    partition.granule = counts.rowUnits;
  else if (counts.units / line >= spare && line % step == 0)
    partition.granule = line;
  else
    keepStepsWhole(partition, step, numWorkers);
  partition.numGranules = counts.units / partition.granule +
                          (counts.units % partition.granule != 0);
  return partition;
}

} // namespace sluice

#endif // SLUICE_RUNTIME_PLAN_PARTITION_H
