//===- AccessHistory.h - The last accesses --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// During the walk of a graph in serial order, this class holds for every store
// the accesses for which a later task may have to wait, by the color through
// which they were made.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REGIONS_ACCESSHISTORY_H
#define SLUICE_RUNTIME_REGIONS_ACCESSHISTORY_H

#include "Launches.h"
#include "Partitions/Overlaps.h"

namespace sluice::regions {

/// Lists of accesses per store, partition and color. Lists share their tails
/// and never change in place, so a copy of the heads is a copy of the history.
class History {
public:
  static constexpr uint32_t none = UINT32_MAX;
  struct Entry {
    uint32_t task;
    uint32_t stamp; ///< of the visited launch that made it
    uint32_t next;
    bool isWrite;
    uint32_t nextWrite = none; ///< the first write from `next` on
  };

  /// The first entries of colors, stored from the first to the last color that
  /// was accessed: a private copy of a launch's reduction knows few colors.
  class ColorHeads {
  public:
    uint32_t get(uint32_t color) const {
      return color - begin < heads.size() ? heads[color - begin] : none;
    }
    uint32_t &at(uint32_t color);
    /// The colors with entries.
    template <typename Function> void forEach(Function &&function) const {
      for (size_t i = 0; i < heads.size(); ++i)
        if (heads[i] != none)
          function(static_cast<uint32_t>(begin + i), heads[i]);
    }

  private:
    uint32_t begin = 0;
    std::vector<uint32_t> heads;
  };

  /// The accesses through one partition; a head for each first color with some
  /// elements.
  struct Part {
    const RootPartition *partition;
    ColorHeads heads;
    /// Reads need not look here without it.
    bool hasWrites = false;
  };
  using Parts = std::vector<Part>;
  using Heads = std::vector<Parts>;

  void resize(uint32_t numStores) { heads.resize(numStores); }
  const Parts &partsOf(Store store) const { return heads[store]; }
  const Entry &entry(uint32_t index) const { return entries[index]; }

  /// Adds an access. A write hides all earlier accesses through the same color.
  void add(Store store, const RootPartition &partition, uint32_t color,
           uint32_t task, bool isWrite, uint32_t stamp);
  /// Removes the accesses of a color that are older than `stamp`.
  void forget(Store store, size_t part, uint32_t color, uint32_t stamp);

  Heads save() const { return heads; }
  /// Adds the accesses of an earlier state: the path since then may not have
  /// been taken.
  void join(const Heads &other);

private:
  Part &part(Store store, const RootPartition &partition);
  void joinList(uint32_t &head, uint32_t other);
  void prepend(uint32_t &head, Entry entry);

  std::vector<Entry> entries;
  Heads heads;
};

} // namespace sluice::regions

#endif // SLUICE_RUNTIME_REGIONS_ACCESSHISTORY_H
