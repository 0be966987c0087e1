//===- GraphRegions.h - A graph as tasks over regions -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The translation of one root for the RDIR analysis (docs/races.md):
//   * a memory object becomes an object;
//   * the accesses of a node to an object, including everything below the node,
//     become up to three ranges: memory that it only reads, memory that it
//     writes, and memory that it updates by atomic operations, which commute;
//   * the root and each internal node become a graph, their nodes its tasks,
//     and edges its order.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_ANALYSIS_RACE_GRAPH_GRAPHREGIONS_H
#define SLUICE_LIB_ANALYSIS_RACE_GRAPH_GRAPHREGIONS_H

#include "Accesses.h"
#include "sluice/Analysis/RegionTasks.h"

namespace sluice::races {

/// One access of a leaf: an index into PlacedAccesses::of(leaf).
struct LeafUse {
  const TreeNode *leaf = nullptr;
  unsigned access = 0;
};

class GraphRegions {
public:
  GraphRegions(const Tree &tree, const PlacedAccesses &accesses);

  const regions::TaskSystem &system() const { return tasks; }
  /// The root or internal node of a graph's body; graph 0 is the root's.
  const TreeNode &scope(uint32_t graph) const { return *scopes[graph]; }
  const TreeNode &node(uint32_t graph, uint32_t task) const {
    return *scopes[graph]->children[task];
  }
  const MemoryObject &object(uint32_t index) const { return objects[index]; }
  /// The accesses behind a range.
  const std::vector<LeafUse> &accessesOf(uint32_t range) const {
    return uses[range];
  }
  /// Symbols of the reductions' operators.
  const std::vector<std::string> &operators() const { return operatorNames; }

private:
  /// The accesses of a node to one object.
  struct Footprint {
    std::vector<LeafUse> reads, writes, updates;
  };
  using Footprints = std::map<uint32_t, Footprint>;

  void addObjects();
  Footprints addGraph(const TreeNode &scope);
  Footprints footprintsOf(const TreeNode &leaf) const;
  void addTask(regions::TaskGraph &graph, const TreeNode &node,
               const Footprints &footprints);
  void addUse(regions::Task &task, const TreeNode &node, uint32_t object,
              const std::vector<LeafUse> &accesses, rdir::Privilege privilege);
  void addOrder(regions::TaskGraph &graph, const TreeNode &scope) const;
  void addOrderByBarriers(regions::TaskGraph &graph,
                          const TreeNode &scope) const;
  rdir::ReductionIndex operatorOf(uint32_t object);

  const Tree &tree;
  const PlacedAccesses &accesses;
  regions::TaskSystem tasks;
  std::vector<const TreeNode *> scopes;
  std::vector<MemoryObject> objects;
  std::map<MemoryObject, uint32_t> numbers;
  /// By object: the operator of its updates; "atomic" if they have several,
  /// empty if there are none.
  std::vector<std::string> updates;
  std::vector<std::vector<LeafUse>> uses;
  std::vector<std::string> operatorNames;
};

/// The bytes that contain all accesses in all instances, if known at compile
/// time.
std::optional<regions::Span> spanOf(const std::vector<LeafUse> &uses,
                                    const PlacedAccesses &accesses);

} // namespace sluice::races

#endif // SLUICE_LIB_ANALYSIS_RACE_GRAPH_GRAPHREGIONS_H
