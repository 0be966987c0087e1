//===- RangeTree.cpp - Ranges of addresses that may overlap ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The recursion depth is the depth of the tree, which is expected to be about
// twice the logarithm of the number of ranges, whatever their order.
//
//===----------------------------------------------------------------------===//

#include "RangeTree.h"

using namespace sluice;

/// Splits the ranges below a node into those before `at` and the others.
void RangeTree::split(RangeNode *node, const RangeNode &at, RangeNode *&before,
                      RangeNode *&behind) {
  if (!node) {
    before = behind = nullptr;
    return;
  }
  if (node->isBefore(at.first, at.end)) {
    split(node->right, at, node->right, behind);
    before = node;
  } else {
    split(node->left, at, before, node->left);
    behind = node;
  }
  node->update();
}

RangeNode *RangeTree::join(RangeNode *before, RangeNode *behind) {
  if (!before || !behind)
    return before ? before : behind;
  if (before->priority > behind->priority) {
    before->right = join(before->right, behind);
    before->update();
    return before;
  }
  behind->left = join(before, behind->left);
  behind->update();
  return behind;
}

RangeNode *RangeTree::insertBelow(RangeNode *node, RangeNode &added) {
  if (!node || added.priority > node->priority) {
    split(node, added, added.left, added.right);
    added.update();
    return &added;
  }
  RangeNode *&child =
      node->isBefore(added.first, added.end) ? node->right : node->left;
  child = insertBelow(child, added);
  node->update();
  return node;
}

bool RangeTree::extend(RangeNode &node, uintptr_t end) {
  // The next node in order.
  const RangeNode *next = nullptr;
  for (const RangeNode *above = root; above != &node;) {
    const bool isBefore = above->isBefore(node.first, node.end);
    next = isBefore ? next : above;
    above = isBefore ? above->right : above->left;
  }
  if (node.right)
    for (next = node.right; next->left;)
      next = next->left;
  if (next && next->first == node.first)
    return false;
  for (RangeNode *above = root; above != &node;) {
    above->maxEnd = std::max(above->maxEnd, end);
    above = above->isBefore(node.first, node.end) ? above->right : above->left;
  }
  node.end = end;
  node.update();
  return true;
}

RangeNode *RangeTree::eraseBelow(RangeNode *node, RangeNode &erased) {
  if (node == &erased)
    return join(node->left, node->right);
  RangeNode *&child =
      node->isBefore(erased.first, erased.end) ? node->right : node->left;
  child = eraseBelow(child, erased);
  node->update();
  return node;
}
