//===- MemoryUses.cpp - Who uses which bytes, in which order --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The uses of a node form a list, and so do those of a user. A node leaves its
// tree with its last use.
//
//===----------------------------------------------------------------------===//

#include "MemoryUses.h"

using namespace sluice;

static bool areRelated(const MemoryUser &a, const MemoryUser &b) {
  return &a == &b || (a.family && a.family == b.family);
}

/// Makes a user wait for the others of a node.
void MemoryUses::wait(MemoryUser &user, RangeNode &node) {
  for (MemoryUse *use = node.uses; use; use = use->next) {
    MemoryUser &other = *use->user;
    if (areRelated(other, user))
      continue;
    // Once for each user, which may have several of the bytes.
    if (!other.dependents.empty() && other.dependents.back() == &user)
      continue;
    other.dependents.push_back(&user);
    ++user.waits;
  }
}

RangeNode &MemoryUses::nodeOf(RangeTree &tree, uintptr_t first, uintptr_t end) {
  if (RangeNode *known = tree.find(first, end))
    return *known;
  RangeNode &node = nodes.take();
  node.first = first;
  node.end = end;
  node.uses = nullptr;
  tree.insert(node);
  return node;
}

void MemoryUses::addTo(RangeNode &node, MemoryUser &user, bool writes) {
  MemoryUse &use = uses.take();
  use = {&user, &node, nullptr, node.uses, user.uses, writes};
  if (node.uses)
    node.uses->previous = &use;
  node.uses = &use;
  user.uses = &use;
}

void MemoryUses::copyTo(RangeNode &target, const RangeNode &source) {
  for (MemoryUse *use = source.uses; use; use = use->next)
    addTo(target, *use->user, use->writes);
}

/// A later writer stands for all uses of a node.
void MemoryUses::detach(RangeNode &node) {
  for (MemoryUse *use = node.uses; use; use = use->next)
    use->node = nullptr;
  node.uses = nullptr;
}

/// Takes bytes from all uses of a node, which has some of them.
void MemoryUses::takeBytes(RangeTree &tree, RangeNode &node, uintptr_t first,
                           uintptr_t end) {
  tree.erase(node);
  if (node.first < first)
    copyTo(nodeOf(tree, node.first, first), node);
  if (end < node.end)
    copyTo(nodeOf(tree, end, node.end), node);
  detach(node);
  nodes.giveBack(node);
}

void MemoryUses::add(MemoryUser &user, uintptr_t first, uintptr_t end,
                     bool writes) {
  if (first >= end)
    return;
  const bool takesBytes = writes && !user.family;
  for (bool areWriters : {true, false}) {
    RangeTree &tree = treeOf(areWriters);
    if ((!areWriters && !writes) || tree.isEmpty())
      continue;
    found.clear();
    tree.visit(first, end, [&](RangeNode &node) { found.push_back(&node); });
    for (RangeNode *node : found) {
      wait(user, *node);
      if (!takesBytes)
        continue;
      if (areWriters && node->first == first && node->end == end)
        detach(*node); // This user's in a moment.
      else
        takeBytes(tree, *node, first, end);
    }
  }
  RangeNode &node = nodeOf(treeOf(writes), first, end);
  if (!node.uses || node.uses->user != &user)
    addTo(node, user, writes);
}

void MemoryUses::remove(MemoryUser &user) {
  while (MemoryUse *use = user.uses) {
    user.uses = use->nextOfUser;
    if (RangeNode *node = use->node) {
      (use->previous ? use->previous->next : node->uses) = use->next;
      if (use->next)
        use->next->previous = use->previous;
      if (!node->uses) {
        treeOf(use->writes).erase(*node);
        nodes.giveBack(*node);
      }
    }
    uses.giveBack(*use);
  }
}

std::vector<uintptr_t> MemoryUses::addressesOf(const MemoryUser &user) const {
  std::vector<uintptr_t> addresses;
  for (const MemoryUse *use = user.uses; use; use = use->nextOfUser)
    if (use->node)
      addresses.push_back(use->node->first);
  return addresses;
}

const MemoryUser *MemoryUses::findUser(uintptr_t first, uintptr_t end) const {
  const MemoryUser *any = nullptr;
  auto take = [&](const MemoryUser &user) { any = &user; };
  visitUses(writers, first, end, take);
  if (!any)
    visitUses(readers, first, end, take);
  return any;
}
