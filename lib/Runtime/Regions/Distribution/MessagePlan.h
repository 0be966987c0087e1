//===- MessagePlan.h - Combining transfers to messages --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the transfers between all ranks at the places of a block to the
// messages of one rank:
//  1. A transfer between two ranks joins a message between these ranks at an
//     earlier place of the block, if nothing changes the elements in between.
//     Copies of scalars join only other copies, and scalars that many ranks get
//     in the block stay in place: so the members of their trees do not depend
//     on other exchanges between two ranks.
//  2. Data that goes from one rank to many, and results of many ranks that one
//     rank folds, go along a tree: no rank has more than a few of these
//     messages.
// All ranks decide in the same way.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REGIONS_DISTRIBUTION_MESSAGEPLAN_H
#define SLUICE_RUNTIME_REGIONS_DISTRIBUTION_MESSAGEPLAN_H

#include "../Launches.h"

#include <map>
#include <set>
#include <tuple>

namespace sluice::regions {

/// Elements of one store that go from one rank to another.
struct Transfer {
  Store store;
  uint32_t from, to;
  Runs runs;
  /// Messages of a later round may forward data of an earlier one.
  uint32_t round = 0;
};

/// Transfers at one place of the serial order; those between two ranks in one
/// round are one message.
struct RankExchange {
  /// The same on all ranks, and unique within a graph.
  uint32_t number;
  /// Transfers from or to this rank.
  std::vector<Transfer> transfers;

  static constexpr uint32_t maxRounds = 16;
  /// Distinguishes the messages between two ranks.
  uint32_t tag(uint32_t round) const { return number * maxRounds + round; }
};

/// Orders lists of runs by their contents.
struct RunsLess {
  bool operator()(const Runs *a, const Runs *b) const {
    return std::lexicographical_compare(
        a->begin(), a->end(), b->begin(), b->end(),
        [](const SluiceRun &x, const SluiceRun &y) {
          return std::tie(x.begin, x.end) < std::tie(y.begin, y.end);
        });
  }
};

/// The ranks that a plan distinguishes. Other ranks matter only where all ranks
/// get the same data, so the plan treats them as one.
struct ToldApart {
  /// Represents each of the other ranks; greater than all rank numbers.
  static constexpr uint32_t others = UINT32_MAX - 1;

  /// Distinguishes all of `numRanks` ranks.
  static ToldApart all(uint32_t numRanks);
  /// Distinguishes only these; all ranks, if the others are too few to form a
  /// tree.
  static ToldApart only(const std::set<uint32_t> &ranks, uint32_t numRanks);

  /// Ascending; the last entry may be `others`.
  std::vector<uint32_t> ranks;
  uint32_t numOthers = 0;

  /// The number of ranks that a list of entries represents.
  uint32_t count(const std::vector<uint32_t> &some) const {
    const bool hasOthers = !some.empty() && some.back() == others;
    return static_cast<uint32_t>(some.size()) + (hasOthers ? numOthers - 1 : 0);
  }
};

/// The transfers between all ranks at one place: from, to, and elements of
/// stores.
using AllTransfers =
    std::map<std::pair<uint32_t, uint32_t>, std::map<Store, Runs>>;

/// A place of a block: transfers, followed by a launch.
struct BlockPlace {
  AllTransfers before;
  /// Elements that the launch changes, on any rank.
  std::map<Store, Runs> changed;
  /// Elements that the transfers remove from their previous holders.
  std::map<Store, Runs> moved;
};

/// The maximum number of messages that a rank sends or receives in one tree.
constexpr uint32_t treeFanOut = 4;

/// Whether it is a store of a scalar, not of a private copy.
inline bool isScalar(const StoreInfo &store) {
  return !store.reset && store.root && store.root->shape.count() == 1;
}

/// Step 1, for the places of a block in their order.
void shareMessages(std::vector<BlockPlace> &places,
                   const std::vector<StoreInfo> &stores,
                   const ToldApart &known);

/// Step 2: the transfers from or to `rank`, which is distinguished.
std::vector<Transfer> routeTransfers(AllTransfers all, uint32_t rank,
                                     const std::vector<StoreInfo> &stores,
                                     const ToldApart &known);

} // namespace sluice::regions

#endif // SLUICE_RUNTIME_REGIONS_DISTRIBUTION_MESSAGEPLAN_H
