//===- Holders.h - The ranks with the latest values -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For each element of a field: the rank that wrote it last, and all ranks that
// have this value. Stored as sorted segments of elements with equal holders, so
// that the cost depends on the number of runs.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REGIONS_DISTRIBUTION_HOLDERS_H
#define SLUICE_RUNTIME_REGIONS_DISTRIBUTION_HOLDERS_H

#include "../Partitions/ElementSet.h"

#include <map>
#include <unordered_map>

namespace sluice::regions {

/// Sets of ranks with an owner, without duplicates.
class RankSets {
public:
  using Set = uint32_t;
  /// Every rank has the value, and none of them needs to send it.
  static constexpr Set everywhere = 0;

  RankSets() : sets(1) {}
  Set only(uint32_t rank) {
    auto [entry, isNew] = alone.try_emplace(rank);
    if (isNew)
      entry->second = intern({rank, {rank}});
    return entry->second;
  }
  Set with(Set set, uint32_t rank);
  Set with(Set set, const std::vector<uint32_t> &ranks);
  const std::vector<uint32_t> &ranksOf(Set set) const {
    return sets[set].ranks;
  }
  /// The ranks in both; the owner is that of `second` if possible. Returns
  /// false if they have no common rank.
  bool meet(Set first, Set second, Set &both);
  bool has(Set set, uint32_t rank) const {
    const std::vector<uint32_t> &ranks = sets[set].ranks;
    return set == everywhere ||
           std::binary_search(ranks.begin(), ranks.end(), rank);
  }
  uint32_t ownerOf(Set set) const { return sets[set].owner; }

private:
  struct Ranks {
    uint32_t owner = 0;
    std::vector<uint32_t> ranks = {};
    auto operator<=>(const Ranks &) const = default;
  };
  Set intern(Ranks ranks);
  std::vector<Ranks> sets;
  std::map<Ranks, Set> known;
  /// The sets of single ranks.
  std::unordered_map<uint32_t, Set> alone;
};

class Holders {
public:
  /// Elements [begin, end) that the same ranks have.
  struct Segment {
    int64_t begin, end;
    RankSets::Set set;
    bool operator==(const Segment &) const = default;
  };

  /// All ranks have all elements.
  explicit Holders(int64_t count = 0) {
    if (count)
      segments.push_back({0, count, RankSets::everywhere});
  }
  /// The elements of `wanted` that a rank does not have, with their holders.
  std::vector<Segment> missing(const Runs &wanted, uint32_t rank,
                               const RankSets &sets) const;
  /// The elements of `wanted` that a rank has.
  Runs present(const Runs &wanted, uint32_t rank, const RankSets &sets) const;
  /// Sets the holders of sorted, disjoint segments.
  void assign(const std::vector<Segment> &changes);
  /// Calls `function(segment)` with the parts of `wanted`.
  template <typename Function>
  void forEachPart(const Runs &wanted, Function &&function) const;
  /// A rank has received these elements.
  void add(const std::vector<Segment> &got, uint32_t rank, RankSets &sets);
  /// The state that holds in either case: `rest` receives the elements that no
  /// rank has in both cases, which are then on their owner of the second case.
  static Holders join(const Holders &first, const Holders &second,
                      RankSets &sets, std::vector<Segment> &rest);
  bool operator==(const Holders &) const = default;

private:
  static void append(std::vector<Segment> &to, Segment segment);
  std::vector<Segment> segments;
};

template <typename Function>
void Holders::forEachPart(const Runs &wanted, Function &&function) const {
  auto find = [this](auto from, int64_t position) {
    return std::partition_point(
        from, segments.end(),
        [&](const Segment &segment) { return segment.end <= position; });
  };
  auto at = segments.begin();
  for (const SluiceRun &run : wanted) {
    // Usually the next one.
    if (at != segments.end() && at->end <= run.begin)
      ++at;
    if (at != segments.end() && at->end <= run.begin)
      at = find(at, run.begin);
    for (auto part = at; part != segments.end() && part->begin < run.end;
         ++part)
      function(Segment{std::max(run.begin, part->begin),
                       std::min(run.end, part->end), part->set});
  }
}

} // namespace sluice::regions

#endif // SLUICE_RUNTIME_REGIONS_DISTRIBUTION_HOLDERS_H
