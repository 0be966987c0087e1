//===- MessagePlan.h - Which transfers share a message --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From what goes between all ranks at the places of a block to the messages of
// one rank:
//
//  1. What goes between two ranks joins the message that these have at an
//     earlier place of the block, if nothing changes it in between. Copies of
//     scalars join only others, and scalars that many get in the block stay
//     where they are: so who is in their trees does not depend on what else two
//     ranks exchange.
//  2. What goes from one rank to many, and the results of many that one rank
//     folds, go along a tree: no rank has more than a few messages of them.
//
// All ranks decide alike.
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
  /// Messages of a later round may hand on what came in an earlier one.
  uint32_t round = 0;
};

/// Transfers at one place of the serial order; those of two ranks in one round
/// are one message.
struct Exchange {
  /// The same on all ranks, and different within a graph.
  uint32_t number;
  /// From or to this rank.
  std::vector<Transfer> transfers;

  static constexpr uint32_t maxRounds = 16;
  /// What tells the messages of two ranks apart.
  uint32_t tag(uint32_t round) const { return number * maxRounds + round; }
};

/// Orders lists of runs by what is in them.
struct RunsLess {
  bool operator()(const Runs *a, const Runs *b) const {
    return std::lexicographical_compare(
        a->begin(), a->end(), b->begin(), b->end(),
        [](const SluiceRun &x, const SluiceRun &y) {
          return std::tie(x.begin, x.end) < std::tie(y.begin, y.end);
        });
  }
};

/// The ranks that a plan tells apart. It has to do with others only where all
/// ranks get the same, so those are one to it.
struct ToldApart {
  /// Instead of a rank: each of the others. Behind all ranks.
  static constexpr uint32_t others = UINT32_MAX - 1;

  /// All of so many ranks.
  static ToldApart all(uint32_t numRanks);
  /// These; all, if the others are too few to form a tree.
  static ToldApart only(const std::set<uint32_t> &ranks, uint32_t numRanks);

  /// Ascending; the last one may be `others`.
  std::vector<uint32_t> ranks;
  uint32_t numOthers = 0;

  /// How many ranks a list of some of these means.
  uint32_t count(const std::vector<uint32_t> &some) const {
    const bool hasOthers = !some.empty() && some.back() == others;
    return static_cast<uint32_t>(some.size()) + (hasOthers ? numOthers - 1 : 0);
  }
};

/// What goes between all ranks at one place: from, to, and elements of stores.
using AllTransfers =
    std::map<std::pair<uint32_t, uint32_t>, std::map<Store, Runs>>;

/// A place of a block: transfers, and a launch behind them.
struct Place {
  AllTransfers before;
  /// Elements that the launch changes, on whichever rank.
  std::map<Store, Runs> changed;
  /// Elements that the transfers take away from where they were.
  std::map<Store, Runs> moved;
};

/// A rank has at most so many messages of one tree to others, or from others.
constexpr uint32_t treeFanOut = 4;

/// Of a scalar, not of a private copy.
inline bool isScalar(const StoreInfo &store) {
  return !store.reset && store.root && store.root->shape.count() == 1;
}

/// Step 1, for the places of a block in their order.
void shareMessages(std::vector<Place> &places,
                   const std::vector<StoreInfo> &stores,
                   const ToldApart &known);

/// Step 2: the transfers from or to `rank`, which is told apart.
std::vector<Transfer> routeTransfers(AllTransfers all, uint32_t rank,
                                     const std::vector<StoreInfo> &stores,
                                     const ToldApart &known);

} // namespace sluice::regions

#endif // SLUICE_RUNTIME_REGIONS_DISTRIBUTION_MESSAGEPLAN_H
