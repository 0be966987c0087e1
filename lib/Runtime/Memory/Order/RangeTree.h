//===- RangeTree.h - Ranges of addresses that may overlap -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the ranges that share a byte with a given one, in time logarithmic in
// the number of ranges plus the number of results. It is a treap: a search tree
// over the beginnings and ends of ranges, in which each node also stores the
// greatest end below it, kept flat by random priorities. In most programs trees
// have one range, so they cost next to nothing.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_MEMORY_ORDER_RANGETREE_H
#define SLUICE_RUNTIME_MEMORY_ORDER_RANGETREE_H

#include <algorithm>
#include <cstdint>

namespace sluice {

struct MemoryUse;

/// The addresses `first <= a < end`, at least one.
struct RangeNode {
  uintptr_t first = 0, end = 0;
  /// All uses of exactly these bytes.
  MemoryUse *uses = nullptr;
  /// For owners of nodes that are in no tree.
  RangeNode *nextIdle = nullptr;

private:
  friend class RangeTree;
  uintptr_t maxEnd = 0;
  RangeNode *left = nullptr, *right = nullptr;
  uint64_t priority = 0;

  void update() {
    maxEnd = end;
    for (RangeNode *child : {left, right})
      if (child)
        maxEnd = std::max(maxEnd, child->maxEnd);
  }
  bool isBefore(uintptr_t otherFirst, uintptr_t otherEnd) const {
    return first != otherFirst ? first < otherFirst : end < otherEnd;
  }
};

/// Does not own its nodes; no two nodes have equal ranges.
class RangeTree {
public:
  bool isEmpty() const { return !root; }
  /// The node with exactly this range, or null.
  RangeNode *find(uintptr_t first, uintptr_t end) const {
    RangeNode *node = root;
    while (node && (node->first != first || node->end != end))
      node = node->isBefore(first, end) ? node->right : node->left;
    return node;
  }
  void insert(RangeNode &node) {
    // Xorshift; the same program always builds the same tree.
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    node.priority = random;
    node.left = node.right = nullptr;
    node.maxEnd = node.end;
    root = root ? insertBelow(root, node) : &node;
  }
  /// Extends the end of a range. Returns false, without a change, if another
  /// range begins at the same address.
  bool extend(RangeNode &node, uintptr_t end);
  void erase(RangeNode &node) {
    bool isAlone = root == &node && !node.left && !node.right;
    root = isAlone ? nullptr : eraseBelow(root, node);
  }

  /// Calls `visitor(RangeNode &)` for the ranges that share a byte with the
  /// given one, which must not be empty; the visitor must not change the tree.
  template <typename Visitor>
  void visit(uintptr_t first, uintptr_t end, Visitor &&visitor) const {
    visitBelow(root, first, end, visitor);
  }

private:
  template <typename Visitor>
  static void visitBelow(RangeNode *node, uintptr_t first, uintptr_t end,
                         Visitor &visitor) {
    for (; node && node->maxEnd > first; node = node->right) {
      if (node->left)
        visitBelow(node->left, first, end, visitor);
      if (node->first >= end)
        return;
      if (node->end > first)
        visitor(*node);
    }
  }
  static void split(RangeNode *node, const RangeNode &at, RangeNode *&before,
                    RangeNode *&behind);
  static RangeNode *join(RangeNode *before, RangeNode *behind);
  static RangeNode *insertBelow(RangeNode *node, RangeNode &added);
  static RangeNode *eraseBelow(RangeNode *node, RangeNode &erased);

  RangeNode *root = nullptr;
  uint64_t random = 0x9e3779b97f4a7c15;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_MEMORY_ORDER_RANGETREE_H
