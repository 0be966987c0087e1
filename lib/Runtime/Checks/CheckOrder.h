//===- CheckOrder.h - The order of instances ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A checked graph runs one instance after another. This class computes which of
// them the graph orders: by edges between nodes on every level of the
// hierarchy, and by barriers within a work-group.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_CHECKS_CHECKORDER_H
#define SLUICE_RUNTIME_CHECKS_CHECKORDER_H

#include "sluice-c/Check.h"

#include <cstdint>
#include <string>
#include <vector>

namespace sluice {

/// One run of the instances of a leaf: all of them, or those of one instance
/// of its parent.
struct CheckExecution {
  const SluiceCheckLeaf *leaf;
  uint32_t node; ///< of the plan
  /// Start of its numbers: the linear id of each fixed level and the number of
  /// instances of each level.
  uint32_t numbers;
  uint32_t phases = 0; ///< barriers that its instances have passed
};

/// One instance between two barriers.
struct CheckInstance {
  uint32_t execution = 0;
  uint32_t phase = 0;
  uint64_t index = 0; ///< linear, over the levels that are not fixed
};

class CheckOrder {
public:
  /// The reason why two instances are not ordered.
  enum class Verdict {
    Ordered,
    SameLeaf,     ///< two instances of one leaf, or below two of one parent
    SameGroup,    ///< two work-items of one group
    NoEdge,       ///< two nodes that no edge orders
    OtherIndices, ///< two nodes that a one-to-one edge orders, but not these
  };

  /// Clears all state and starts with the order of the plan's nodes.
  void begin(const SluicePlan &plan);
  /// Records a run of a leaf; `numbers` as for sluiceCheckLeaf.
  uint32_t addExecution(uint32_t node, const SluiceCheckLeaf &leaf,
                        const int64_t *numbers);
  /// Records how many barriers an instance has passed.
  void addBarriers(const CheckInstance &instance);

  /// Whether `first`, which ran before, is ordered before `second`.
  bool isOrdered(const CheckInstance &first, const CheckInstance &second) {
    // The common case: instances of one leaf between the same barriers.
    if (first.execution == second.execution && first.phase == second.phase)
      return first.index == second.index;
    return compare(first, second) == Verdict::Ordered;
  }
  /// The same with the reason.
  Verdict compare(const CheckInstance &first, const CheckInstance &second) {
    if (first.execution == second.execution) {
      if (first.index == second.index)
        return Verdict::Ordered;
      uint64_t size = sizeOfGroup;
      if (first.execution != groupExecution)
        size = findGroupSize(first.execution);
      if (first.index / size != second.index / size)
        return Verdict::SameLeaf;
      return first.phase == second.phase ? Verdict::SameGroup
                                         : Verdict::Ordered;
    }
    return compareExecutions(first, second);
  }

  const CheckExecution &execution(uint32_t index) const {
    return executions[index];
  }
  /// "instance (3, 1) of parent 2"; "the instance" without replication.
  std::string instanceText(const CheckInstance &instance) const;
  /// The names of the two nodes where the paths of both instances separate.
  std::pair<std::string, std::string>
  partingNodes(const CheckInstance &first, const CheckInstance &second) const;

private:
  uint64_t findGroupSize(uint32_t execution);
  Verdict compareExecutions(const CheckInstance &first,
                            const CheckInstance &second);
  bool stepsAreOrdered(const CheckInstance &first, const CheckInstance &second,
                       uint32_t level) const;
  uint64_t levelId(const CheckInstance &instance, uint32_t level) const;
  uint32_t nodeOrder(uint32_t first, uint32_t second);
  bool barrierOrders(const CheckInstance &first, const CheckInstance &second,
                     uint32_t levels) const;

  const SluicePlan *plan = nullptr;
  std::vector<CheckExecution> executions;
  std::vector<uint64_t> numbers;
  std::vector<int64_t> extents;
  /// Start of the extents of an execution in `extents`.
  std::vector<uint32_t> extentsOf;
  /// For each node, its order relative to later nodes, computed on demand:
  /// none, by equal ids in a number of levels, or (the maximum) complete.
  std::vector<std::vector<uint32_t>> orders;
  /// Nodes whose instances have all waited at a barrier.
  std::vector<bool> waits;
  /// Number of instances of the last level in the most recently queried
  /// execution.
  uint32_t groupExecution = UINT32_MAX;
  uint64_t sizeOfGroup = 1;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_CHECKS_CHECKORDER_H
