//===- Causes.h - What let a part of a run begin ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who asks why something ran no earlier finds here what ended last of all that
// it may have waited for.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_TRACES_CAUSES_H
#define SLUICE_LIB_DRIVER_TRACES_CAUSES_H

#include "Coverage.h"
#include "sluice/Driver/TraceReport.h"
#include "llvm/ADT/DenseMap.h"

#include <map>
#include <tuple>

namespace sluice::driver {

/// Spans of a timeline by what may wait for them. All that is found of a span
/// has ended when it starts; spans that took no time are left out, so who goes
/// from cause to cause comes to an end.
class Causes {
public:
  static constexpr uint32_t none = Timeline::none;
  explicit Causes(const Timeline &timeline);

  /// Of the nodes that a span waits for in its launch, the chunk that ended
  /// last. For tasks, of which no trace says what they wait for, it is the task
  /// of the launch that ended last.
  uint32_t dependence(uint32_t span) const;
  /// The transfer, message or compilation of the rank that ended last.
  uint32_t arrival(uint32_t span) const;
  /// What its row did before.
  uint32_t before(uint32_t span) const;
  /// What ended last in a rank before a time.
  uint32_t lastOf(uint32_t rank, int64_t time) const;

  /// Of a message for which somebody waited before it was sent, the span of the
  /// rank that sent it, which began later; else the span itself.
  uint32_t origin(uint32_t span) const;
  /// When a span began to do what it does: its origin's start.
  int64_t startOf(uint32_t span) const;
  /// What the rank of a span's origin did last before it.
  uint32_t beforeOrigin(uint32_t span) const;

  struct Rank {
    Coverage launches, compiles, arrivals;
    /// When it waited for messages that were not sent yet.
    Coverage unsent;
  };
  /// Null if the rank did nothing of that kind.
  const Rank *rank(uint32_t number) const;

private:
  /// In the order of their ends.
  using List = std::vector<uint32_t>;
  void add(uint32_t span);
  uint32_t lastIn(const List *list, int64_t time) const;
  uint32_t later(uint32_t a, uint32_t b) const;
  template <typename Map, typename Key>
  static const List *find(const Map &map, const Key &key) {
    auto found = map.find(key);
    return found == map.end() ? nullptr : &found->second;
  }

  const Timeline &timeline;
  /// By launch and name, by launch, by row, by rank.
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, List> ofNode;
  llvm::DenseMap<uint32_t, List> ofLaunch, ofRow, ofRank, arrivalsOf;
  /// Names of the nodes before one, by rank and name.
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>>
      predecessors;
  std::map<uint32_t, Rank> ranks;
  /// Of a message that is received, where it was sent.
  llvm::DenseMap<uint32_t, uint32_t> senders;
};

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_TRACES_CAUSES_H
