//===- SerialSweep.h - Rule R* in near-linear time --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The walk over the versions of a class, in topological order, that finds the
// edges from readers to the writers of later versions. Let W be a writer's
// version and d a version that a reader reads. The writer need not wait for the
// reader if a task-written version U lies between d and W, may alias d, and
// reaches W: the reader comes before U's writer, and U's writer before W's.
//
//   1. Reads within W's region: the writers of W wait for each reader, and the
//      reads are consumed, since everything that aliases them later aliases W.
//   2. Reads above W: W waits for a read that is newer than the last
//      task-written version that may alias W. All reads at one region are one
//      join, which grows with them; its older reads are implied and harmless.
//   3. Reads below other children of a node whose children alias: there is
//      also one join for all children except W's. Here U must be below W's
//      child, or at or above the node, or below a third child. So W need not
//      wait for reads before the last writes below two children other than
//      W's.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_RDIR_ORDER_SERIALSWEEP_H
#define SLUICE_LIB_RDIR_ORDER_SERIALSWEEP_H

#include "../Graph/VersionClasses.h"
#include "SerialCollector.h"

#include <unordered_map>

namespace sluice::rdir {

class SerialSweep {
public:
  /// `position` orders all nodes topologically.
  SerialSweep(const Graph &graph, std::span<const uint32_t> position,
              SerialCollector &collector);

  /// Walks one class; its versions are in topological order.
  void run(const VersionClass &versions);

private:
  /// Positions plus one; 0 means never.
  using Time = uint32_t;

  struct Event {
    RegionIndex child = noRegion;
    Time time = 0;
    size_t index = 0;
  };
  /// The last events below three different children, newest first.
  struct LastEvents {
    Event events[3];

    void set(Event event);
    /// The newest event that is not below `child`, or the one before it.
    const Event &notBelow(RegionIndex child, unsigned number) const;
  };
  /// The join for versions below one child, for log[begin ... end].
  struct SiblingJoin {
    size_t begin = 0, end = 0;
    SerialSource join;
  };
  /// A node whose children alias.
  struct Siblings {
    LastEvents reads, writes;
    std::vector<std::pair<NodeIndex, RegionIndex>> log, special;
    std::unordered_map<RegionIndex, SiblingJoin> joins;
  };
  struct Place {
    /// Versions that are read, since the last task-written version that covers
    /// them.
    std::vector<NodeIndex> log, special;
    size_t joinEnd = 0;
    SerialSource join;
    Time lastRead = 0, lastWrite = 0, lastWriteBelow = 0;
    RegionIndex firstActive = noRegion, nextActive = noRegion;
    bool isActive = false;
  };

  void addWrite(NodeIndex version, RegionIndex region);
  void addReads(NodeIndex version, RegionIndex region);
  /// The last time a task wrote data that may alias the current version's
  /// region: overall, and without the siblings of one node.
  struct LastWrites {
    Time newest = 0, second = 0;
    RegionIndex newestAt = noRegion;
    void add(Time time, RegionIndex siblingsAt);
    Time without(RegionIndex siblingsAt) const {
      return newestAt == siblingsAt ? second : newest;
    }
  };

  LastWrites lastWritesBefore(RegionIndex region);
  Time oldestBase(NodeIndex version) const;
  Time limited(Time time) const { return time > newestUsable ? 0 : time; }
  void waitAbove(RegionIndex region);
  void waitForPlace(Place &place, Time last);
  void waitForSiblings(Siblings &siblings, RegionIndex child, Time last);
  void consume(RegionIndex region);
  void activate(RegionIndex region);
  void runConstrained(const VersionClass &versions);

  const Graph &graph;
  const RegionForest &forest;
  std::span<const uint32_t> position;
  SerialCollector &collector;
  std::vector<Place> places;
  std::unordered_map<RegionIndex, Siblings> siblingsOf;
  std::vector<RegionIndex> stack, used;
  /// Versions later than this time need not reach all writers of the current
  /// version.
  Time newestUsable = UINT32_MAX;
};

} // namespace sluice::rdir

#endif // SLUICE_LIB_RDIR_ORDER_SERIALSWEEP_H
