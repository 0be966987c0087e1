//===- ItemOrder.h - The order of nodes of stream items -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Items of a stream overlap, but results are as if they ran one after another:
// if two items use the same memory and one writes it, the nodes that use it run
// in push order. This class finds these nodes from the plan's tables of
// pointers, globals and datasets.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_STREAMS_ITEMORDER_H
#define SLUICE_RUNTIME_STREAMS_ITEMORDER_H

#include "../Plan/PlanInfo.h"

#include "sluice/Base/Status.h"

#include <span>
#include <vector>

namespace sluice {

/// `node` of an item waits for `before` of an earlier item.
struct NodePair {
  uint32_t node;
  uint32_t before;
};

/// The memory that an item receives through one argument.
struct ArgumentRange {
  uint32_t argument;
  uintptr_t start;
  uintptr_t end; ///< the first byte after it
};

/// The rules of one plan, computed once.
class ItemOrder {
public:
  explicit ItemOrder(const PlanInfo &info);

  /// Adds the memory of the pointer arguments in `frame`, except null pointers:
  /// either of those that change with the items (the address or the size) or of
  /// the fixed ones.
  void addRanges(const unsigned char *frame, bool isStreaming,
                 std::vector<ArgumentRange> &result) const;
  bool hasStreamingPointers() const { return !streamingPointers.empty(); }

  /// Whether two items with these ranges have any pairs.
  bool conflict(std::span<const ArgumentRange> item,
                std::span<const ArgumentRange> before) const;
  /// The pairs of all items, through fixed arguments, globals and datasets.
  /// Waiting for the previous item suffices, since a node that writes also
  /// waits for itself.
  void addFixedPairs(std::span<const ArgumentRange> fixed,
                     std::vector<NodePair> &pairs) const;
  /// The pairs between an item's ranges and an earlier item's.
  void addPairs(std::span<const ArgumentRange> item,
                std::span<const ArgumentRange> before,
                std::vector<NodePair> &pairs) const;

private:
  struct Use {
    uint32_t node;
    bool writes;
  };
  using Uses = std::vector<Use>;
  static void addPairs(const Uses &uses, const Uses &before,
                       std::vector<NodePair> &pairs);
  void removeDoubles(std::vector<NodePair> &pairs) const;
  bool movesWithItems(const SluicePlanArgument &argument) const;

  const PlanInfo &info;
  std::vector<Uses> argumentUses;
  /// Whether some node writes the argument's memory.
  std::vector<char> isWritten;
  std::vector<Uses> memoryUses;
  /// The arguments that are pointers.
  std::vector<uint32_t> streamingPointers, fixedPointers;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_STREAMS_ITEMORDER_H
