//===- ProgramVersions.h - The current versions of a tree -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks one region tree, for one class of fields, along a program, and adds the
// Opens and Closes between the versions of its regions:
//
//   1. An access goes down from the root to its region. Every region on the
//      way is open: it has a current version of its own.
//   2. Sibling regions that are open are disjoint. To open a region that may
//      alias an open sibling, all siblings are closed into the parent first;
//      the new version comes after all of theirs, so that versions that may
//      alias are ordered.
//   3. A region with open regions below it is closed before it is accessed.
//      Reading needs no Close while no region below was written.
//
// Where constraints relate regions beyond the forest, all regions of joined
// trees are opened directly from the uppermost root, since intermediate regions
// may alias although the regions themselves do not.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_RDIR_PROGRAMS_PROGRAMVERSIONS_H
#define SLUICE_LIB_RDIR_PROGRAMS_PROGRAMVERSIONS_H

#include "sluice/RDIR/Graph.h"

namespace sluice::rdir {

class VersionTree {
public:
  /// `root` must contain every region of later calls.
  VersionTree(Graph &graph, RegionIndex root, FieldMask fields)
      : graph(graph), root(root), fields(fields) {}

  /// Opens and closes regions until `region` may be accessed. May close other
  /// regions, but none that is disjoint from it unless constraints say so.
  void prepare(RegionIndex region, bool isRead);
  /// The version of a prepared region that an access finds.
  NodeIndex current(RegionIndex region);

  /// The version that a task writes: a new one, or the current one if this task
  /// wrote it.
  NodeIndex write(RegionIndex region, NodeIndex task);
  /// The version that a task reduces into and the version that it continues.
  struct Reduction {
    NodeIndex continued, version;
  };
  Reduction reduce(RegionIndex region, ReductionIndex reduction);

private:
  struct State {
    NodeIndex current = noNode;
    /// The Open that reads the current version.
    NodeIndex open = noNode;
    /// The task that wrote the current version.
    NodeIndex writer = noNode;
    /// If the current version still accepts reductions: their operator, and the
    /// version they continue.
    ReductionIndex reduction = noReduction;
    NodeIndex continued = noNode;
    /// A region below was written since it was opened.
    bool isWrittenBelow = false;
    std::vector<RegionIndex> openChildren;
  };

  /// The ancestor from which `region` is opened.
  RegionIndex above(RegionIndex region) const;
  bool isBlocked(RegionIndex region, RegionIndex parent) const;
  void open(RegionIndex region, RegionIndex parent);
  void close(RegionIndex region);
  void setVersion(State &state, NodeIndex version);
  void markWritten(RegionIndex region);

  Graph &graph;
  RegionIndex root;
  FieldMask fields;
  std::unordered_map<RegionIndex, State> states;
};

} // namespace sluice::rdir

#endif // SLUICE_LIB_RDIR_PROGRAMS_PROGRAMVERSIONS_H
