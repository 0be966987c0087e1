//===- PlanInfo.h - A checked plan, ready to run --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first launch of a plan checks its tables and derives what the executor
// looks up often: successors by kind of order, the nodes to start with, groups
// of nodes that share chunk boundaries. All of it is constant afterwards.
//
//
// Room: what there is to run, as tables. Plans of graphs with their extents,
// costs and argument structures; tables of tasks. Checks them and derives what
// is constant; runs nothing. May include Base, and Memory for what arguments
// name.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_PLAN_PLANINFO_H
#define SLUICE_RUNTIME_PLAN_PLANINFO_H

#include "Costs/BurstCost.h"
#include "Costs/LaunchCosts.h"
#include "Costs/NodeCost.h"
#include "Costs/PlainCost.h"
#include "Costs/TileCost.h"
#include "EntryTables.h"
#include "Extents.h"
#include "Partition.h"
#include "Tiles.h"
#include "Windows.h"

#include "sluice-c/Plan.h"
#include "sluice/Base/Status.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace sluice {

class KernelChooser;
class NodePlacement;
struct PlanPlacement;

/// One node. Orders between single instances count as all-to-all here.
struct NodeInfo {
  const SluicePlanNode *node = nullptr;
  uint32_t index = 0;
  uint32_t numAllToAll = 0; ///< predecessors
  uint32_t numOneToOne = 0; ///< predecessors
  /// Index in PlanInfo::groups, or SLUICE_NO_INDEX.
  uint32_t group = SLUICE_NO_INDEX;
  uint32_t groupPosition = 0;
  std::span<const uint32_t> allToAllSuccessors;
  std::span<const uint32_t> oneToOneSuccessors;
  /// What constant extents span; meaningless if the node computes them.
  NodeCounts constantCounts;
  bool hasArrays = false;
  /// It may use memory that none of its inputs points to, as far as is known.
  bool mayReachOther = true;
  /// Nothing but its extents and its kernel is to be found before it runs.
  bool isDirect = false;
  /// Always one unit, and opening it does nothing.
  bool isPlain = false;
  /// Index in PlanInfo::tiles, or SLUICE_NO_INDEX.
  uint32_t tile = SLUICE_NO_INDEX;
  /// Where the node's evaluated extents stand in an instance's table.
  uint32_t extentsOffset = 0;
  /// Kernels compiled for given extents; null if there cannot be any. Owned
  /// by the specialiser.
  KernelChooser *variants = nullptr;
  /// State of the placement; null if it runs on the host only. Owned by the
  /// placement.
  NodePlacement *placement = nullptr;

  /// Its instances run step by step; see Steps.h.
  bool isOrdered() const { return node->orderedDims != 0; }
  /// By the plan's own kernel.
  uint32_t unitsAtOnce() const {
    return node->unitsAtOnce ? std::max(*node->unitsAtOnce, 1u) : 1;
  }
  bool isSink() const {
    return allToAllSuccessors.empty() && oneToOneSuccessors.empty();
  }
};

/// Nodes connected by one-to-one orders: they have equal extents in the index
/// levels and the same chunks of instances.
struct GroupInfo {
  uint32_t numIndexLevels = 0;
  std::vector<uint32_t> nodes;
};

/// Consecutive nodes that may run strip by strip.
struct TileInfo {
  uint32_t firstNode = 0, endNode = 0;
  /// The offset of each node.
  std::vector<TileOffset> offsets;
  /// Holds for extents below 65536 only.
  bool isUsual = false;
  /// Orders from nodes outside to nodes inside.
  uint32_t numArrivals = 0;
  /// What the nodes may touch, in PlanInfo::pointers.
  std::vector<uint32_t> pointers;
  TileWindows windows;
  /// What the windows of the last launch needed.
  std::unique_ptr<WindowMemo> windowMemo;
};

/// An argument that is a pointer, as launches look at it.
struct PointerArgument {
  const char *name;
  uint64_t frameOffset;
  /// Where the size of the memory stands in the frame, or SLUICE_NO_OFFSET.
  uint64_t sizeOffset;
  bool isWritten;
  bool isStreaming;
  /// Its address or its size comes with the items of a stream.
  bool movesWithItems;
};

/// Bytes of a packed argument structure, and where they stand in the frame.
struct ArgumentCopy {
  uint64_t from, to, size;
};

/// A node of one unit without preparation, in as few bytes as scheduling needs,
/// so that graphs of many small nodes stay in the caches.
struct PlainNode {
  SluiceKernel kernel;
  const int64_t *extents;
  const uint32_t *predecessors;
  uint32_t numPredecessors;
};

/// Which worker runs which nodes of a plain graph first: for each worker its
/// nodes in order. Nodes of equal depth are divided into contiguous ranges,
/// since neighbours share data.
using PlainLists = std::vector<std::vector<uint32_t>>;

class PlanInfo {
public:
  /// Checks the tables; an error names the plan and what does not fit.
  static Result<std::unique_ptr<PlanInfo>> create(const SluicePlan &plan);

  const SluicePlan &plan;
  std::vector<NodeInfo> nodes;
  std::vector<GroupInfo> groups;
  std::vector<TileInfo> tiles;
  /// Nodes without all-to-all predecessors: opened when an instance starts.
  std::vector<uint32_t> opened;
  /// Nodes without predecessors: they run first.
  std::vector<uint32_t> entries;
  /// The cost of each node; changes with every timed run.
  std::unique_ptr<NodeCost[]> costs;
  /// The costs of all nodes together; change with every timed launch.
  const std::unique_ptr<LaunchCosts> launchCosts =
      std::make_unique<LaunchCosts>();
  /// The cost of bursts of launches that begin with this plan, without the
  /// first launch.
  const std::shared_ptr<BurstCost> burstCost = std::make_shared<BurstCost>();
  /// If there are `tiles`; changes with every launch in which they are timed.
  std::unique_ptr<TileCost> tileCost;
  /// All nodes, if every one of them is plain; else empty.
  std::vector<PlainNode> plain;
  bool isPlain = false;
  /// One thread at a time runs kernels of instances, as far as one runtime is
  /// concerned; see Executor::isAlone.
  bool runsAlone = false;
  /// Made by the first call; `numWorkers` is always the same.
  const PlainLists &plainLists(unsigned numWorkers) const;
  /// Nodes per step of a plain graph's longest path: the maximum that can run
  /// at the same time.
  double plainWidth = 1;
  /// Changes with every timed run.
  std::unique_ptr<PlainCost> plainCost;
  uint32_t numSinks = 0;
  /// Each node waits for all of the one before it.
  bool isChain = false;
  uint32_t numExtents = 0;
  /// Offsets of a packed argument structure.
  std::vector<uint64_t> packedArguments;
  /// All arguments of one, neighbours together.
  std::vector<ArgumentCopy> packedCopies;
  std::vector<uint64_t> packedResults;
  /// Offsets of a packed structure of the results alone.
  std::vector<uint64_t> resultOffsets;
  uint64_t resultSize() const { return plan.packedSize - argumentSize; }
  uint64_t argumentSize = 0;
  uint64_t frameBytes = 0;
  bool hasPointers = false;
  std::vector<PointerArgument> pointers;
  uint32_t numStreamingPointers = 0;
  /// Pairs of `pointers` whose memory must not overlap. `movingPairs` are the
  /// pairs in which one of the pointers changes from item to item.
  using PointerPair = std::pair<uint32_t, uint32_t>;
  std::vector<PointerPair> disjointPairs, movingPairs;
  /// SluicePlan::tables.
  std::vector<std::unique_ptr<EntryTable>> tables;
  /// Nodes whose extents a proof took as usual, and that follow from arguments.
  std::vector<uint32_t> usualNodes;
  /// For each argument, its index in `pointers`, or SLUICE_NO_INDEX.
  std::vector<uint32_t> pointerOf;
  /// Some device kernel takes memory without the size that an argument states
  /// for it, and so all of the object.
  bool usesWholeObjects = false;
  /// Some node may use memory that no argument points to, as far as is known.
  bool mayReachOther = false;
  /// Null if all nodes run on the host. Owned by the placement.
  PlanPlacement *placement = nullptr;

  /// False if the address now holds another plan. Names and locations are read
  /// from the plan itself, except where its name chose places or strips.
  bool matches(const SluicePlan &other) const {
    // In line: every launch asks.
    uint64_t known[sizeof(SluicePlan) / 8], found[sizeof(SluicePlan) / 8];
    std::memcpy(known, &copy, sizeof known);
    std::memcpy(found, &other, sizeof found);
    uint64_t differences = 0;
    constexpr size_t name = offsetof(SluicePlan, name) / 8;
    constexpr size_t location = offsetof(SluicePlan, location) / 8;
    for (size_t i = 0; i < std::size(known); ++i)
      if (i != name && i != location)
        differences |= known[i] ^ found[i];
    return differences == 0 && (known[name] == found[name] || !usesName());
  }

private:
  bool usesName() const { return tileCost || placement; }
  explicit PlanInfo(const SluicePlan &plan) : plan(plan), copy(plan) {}
  Status checkValues() const;
  Status readNodes();
  Status checkNode(uint32_t index) const;
  Status checkOrderedDims(const SluicePlanNode &node) const;
  void splitSuccessors();
  Status formGroups();
  Status joinGroups(std::vector<uint32_t> &leader);
  Status formTiles();
  void findTilePointers(TileInfo &tile) const;
  void findEnds();
  void findMemoryUse();
  void layOutPlainNodes();
  std::vector<uint32_t> plainDepths() const;
  Status layOutStructure();
  Status planError(std::string what) const;

  const SluicePlan copy;
  std::vector<uint32_t> successorPool;
  std::vector<uint32_t> predecessorPool;
  mutable std::once_flag plainListsMade;
  mutable PlainLists thePlainLists;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_PLAN_PLANINFO_H
