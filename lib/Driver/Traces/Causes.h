//===- Causes.h - Causes that let a part of a run begin ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// To explain why something ran no earlier, finds the last event to end among
// those that it may have waited for.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_TRACES_CAUSES_H
#define SLUICE_LIB_DRIVER_TRACES_CAUSES_H

#include "IntervalUnion.h"
#include "sluice/Driver/TraceReport.h"
#include "llvm/ADT/DenseMap.h"

#include <map>
#include <tuple>

namespace sluice::driver {

/// Indexes the spans of a timeline by what may wait for them. Every span found
/// as a cause has ended when the given span starts. Spans without duration are
/// left out, so following causes always terminates.
class Causes {
public:
  static constexpr uint32_t none = Timeline::none;
  explicit Causes(const Timeline &timeline);

  /// Among the nodes that a span waits for in its launch, the chunk that ended
  /// last. For tasks, whose waits no trace records, the task of the launch that
  /// ended last.
  uint32_t dependence(uint32_t span) const;
  /// The transfer, message or compilation of the rank that ended last.
  uint32_t arrival(uint32_t span) const;
  /// The previous span of its row.
  uint32_t before(uint32_t span) const;
  /// The last span of a rank that ended before a time.
  uint32_t lastOf(uint32_t rank, int64_t time) const;

  /// If a message was awaited before it was sent, the later span of the rank
  /// that sent it; otherwise the span itself.
  uint32_t origin(uint32_t span) const;
  /// The start of a span's actual work: the start of its origin.
  int64_t startOf(uint32_t span) const;
  /// The last span of the origin's rank before the origin.
  uint32_t beforeOrigin(uint32_t span) const;

  struct Rank {
    IntervalUnion launches, compiles, arrivals;
    /// The times in which the rank waited for messages that were not sent yet.
    IntervalUnion unsent;
  };
  /// Null if the rank did nothing of that kind.
  const Rank *rank(uint32_t number) const;

private:
  /// Spans in the order of their ends.
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
  /// Names of a node's predecessors, by rank and name.
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>>
      predecessors;
  std::map<uint32_t, Rank> ranks;
  /// For a received message, the span that sent it.
  llvm::DenseMap<uint32_t, uint32_t> senders;
};

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_TRACES_CAUSES_H
