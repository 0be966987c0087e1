//===- MemoryUses.cpp - Uses of memory and their order --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The uses of a node form a list, and so do the uses of a user. A node leaves
// its tree with its last use.
//
//===----------------------------------------------------------------------===//

#include "MemoryUses.h"

using namespace sluice;

static bool areRelated(const MemoryUser &a, const MemoryUser &b) {
  return &a == &b || (a.family && a.family == b.family);
}

//===----------------------------------------------------------------------===//
// Nodes and their uses
//===----------------------------------------------------------------------===//

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

void MemoryUses::addTo(RangeTree &tree, RangeNode &node, MemoryUser &user) {
  MemoryUse &use = uses.take();
  use = {&user, &node, nullptr, node.uses, user.uses, &tree};
  if (node.uses)
    node.uses->previous = &use;
  node.uses = &use;
  user.uses = &use;
}

void MemoryUses::copyTo(RangeTree &tree, RangeNode &target,
                        const RangeNode &source) {
  for (MemoryUse *use = source.uses; use; use = use->next)
    addTo(tree, target, *use->user);
}

/// The use belongs only to its user.
void MemoryUses::unlink(MemoryUse &use) {
  (use.previous ? use.previous->next : use.node->uses) = use.next;
  if (use.next)
    use.next->previous = use.previous;
  use.node = nullptr;
}

/// A later writer represents all uses of a node.
void MemoryUses::detach(RangeNode &node) {
  for (MemoryUse *use = node.uses; use; use = use->next)
    use->node = nullptr;
  node.uses = nullptr;
}

/// Removes bytes from all uses of a node that contains some of them.
void MemoryUses::takeBytes(RangeTree &tree, RangeNode &node, uintptr_t first,
                           uintptr_t end) {
  tree.erase(node);
  if (node.first < first)
    copyTo(tree, nodeOf(tree, node.first, first), node);
  if (end < node.end)
    copyTo(tree, nodeOf(tree, end, node.end), node);
  detach(node);
  nodes.giveBack(node);
}

void MemoryUses::findNodes(const RangeTree &tree, uintptr_t first,
                           uintptr_t end) {
  found.clear();
  tree.visit(first, end, [&](RangeNode &node) { found.push_back(&node); });
}

//===----------------------------------------------------------------------===//
// Joins
//===----------------------------------------------------------------------===//

/// Whether a join may represent `other`, for which `user` would wait. Some
/// users do not wait for the members of a family.
static bool mayJoin(const MemoryUser &user, const MemoryUser &other) {
  return &user != &other && !other.family;
}

MemoryUses::Join &MemoryUses::takeJoin() {
  Join &join = idleJoins.take();
  join.isJoin = true;
  return join;
}

/// If a node has many uses, replaces them by a join.
void MemoryUses::joinUses(RangeTree &tree, RangeNode &node,
                          const MemoryUser &user) {
  size_t numJoined = 0;
  for (const MemoryUse *use = node.uses; use; use = use->next)
    numJoined += mayJoin(user, *use->user);
  if (numJoined <= maxDirect)
    return;
  Join &join = takeJoin();
  for (MemoryUse *use = node.uses; use;) {
    MemoryUse &joined = *use;
    use = use->next;
    if (!mayJoin(user, *joined.user))
      continue;
    join.name = joined.user->name;
    wait(join, *joined.user);
    unlink(joined);
  }
  addTo(tree, node, join);
}

/// Users that read exactly the bytes of a join also wait for this writer.
void MemoryUses::addToJoins(MemoryUser &writer, uintptr_t first,
                            uintptr_t end) {
  if (joins.isEmpty())
    return;
  findNodes(joins, first, end);
  for (RangeNode *node : found)
    addTo(joins, *node, writer);
}

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

void MemoryUses::wait(MemoryUser &user, MemoryUser &other) {
  // Once for each user, which may use several of the bytes.
  if (!other.dependents.empty() && other.dependents.back() == &user)
    return;
  other.dependents.push_back(&user);
  ++user.waits;
  if (other.isHeldBack.load(std::memory_order_relaxed))
    user.heldBack.push_back(&other);
}

/// Makes a user wait for the other users of a node.
void MemoryUses::wait(MemoryUser &user, const RangeNode &node) {
  for (MemoryUse *use = node.uses; use; use = use->next)
    if (!areRelated(*use->user, user))
      wait(user, *use->user);
}

/// Makes a reader wait for the writers of its bytes.
void MemoryUses::waitForWriters(MemoryUser &user, uintptr_t first,
                                uintptr_t end) {
  RangeNode *all = joins.isEmpty() ? nullptr : joins.find(first, end);
  if (!all) {
    if (writers.isEmpty())
      return;
    findNodes(writers, first, end);
    if (found.size() <= maxDirect) {
      for (const RangeNode *node : found)
        wait(user, *node);
      return;
    }
    all = &nodeOf(joins, first, end);
    for (const RangeNode *node : found)
      copyTo(joins, *all, *node);
  }
  joinUses(joins, *all, user);
  wait(user, *all);
}

/// Makes a writer wait for users of its bytes, and takes these bytes from them.
void MemoryUses::waitAndTake(RangeTree &tree, MemoryUser &user, uintptr_t first,
                             uintptr_t end) {
  if (tree.isEmpty())
    return;
  findNodes(tree, first, end);
  for (RangeNode *node : found) {
    joinUses(tree, *node, user);
    wait(user, *node);
    if (user.family)
      continue;
    if (&tree == &writers && node->first == first && node->end == end)
      detach(*node); // The node will belong to this user in a moment.
    else
      takeBytes(tree, *node, first, end);
  }
}

void MemoryUses::add(MemoryUser &user, uintptr_t first, uintptr_t end,
                     bool writes) {
  if (first >= end)
    return;
  if (writes) {
    addToJoins(user, first, end);
    waitAndTake(writers, user, first, end);
    waitAndTake(readers, user, first, end);
  } else {
    waitForWriters(user, first, end);
  }
  RangeTree &tree = writes ? writers : readers;
  RangeNode &node = nodeOf(tree, first, end);
  if (!node.uses || node.uses->user != &user)
    addTo(tree, node, user);
}

void MemoryUses::addFree(MemoryUser &user, uintptr_t first, uintptr_t end,
                         bool writes) {
  constexpr unsigned maxLooks = 4;
  if (first >= end)
    return;
  if (writes)
    addToJoins(user, first, end);
  RangeTree &tree = writes ? writers : readers;
  unsigned numLooks = 0;
  for (MemoryUse *use = user.uses; use && numLooks < maxLooks;
       use = use->nextOfUser, ++numLooks)
    if (use->tree == &tree && use->node && use->node->end == first &&
        use->node->uses == use && !use->next && tree.extend(*use->node, end))
      return;
  RangeNode &node = nodeOf(tree, first, end);
  if (!node.uses || node.uses->user != &user)
    addTo(tree, node, user);
}

bool MemoryUses::wouldWait(const MemoryUser &user, uintptr_t first,
                           uintptr_t end, bool writes) const {
  bool waits = false;
  auto look = [&](const MemoryUser &other) {
    waits |= !areRelated(other, user);
  };
  visitWriters(first, end, look);
  if (writes)
    visitReaders(first, end, look);
  return waits;
}

void MemoryUses::remove(MemoryUser &user) {
  while (MemoryUse *use = user.uses) {
    user.uses = use->nextOfUser;
    if (RangeNode *node = use->node) {
      unlink(*use);
      if (!node->uses) {
        use->tree->erase(*node);
        nodes.giveBack(*node);
      }
    }
    uses.giveBack(*use);
  }
}

void MemoryUses::end(MemoryUser &user, std::vector<MemoryUser *> &ready) {
  auto endOne = [&](MemoryUser &ended) {
    remove(ended);
    for (MemoryUser *dependent : ended.dependents) {
      if (--dependent->waits != 0)
        continue;
      if (dependent->isJoin)
        endedJoins.push_back(static_cast<Join *>(dependent));
      else
        ready.push_back(dependent);
    }
    ended.dependents.clear();
  };
  endOne(user);
  while (!endedJoins.empty()) {
    Join &join = *endedJoins.back();
    endedJoins.pop_back();
    endOne(join);
    idleJoins.giveBack(join);
  }
}

//===----------------------------------------------------------------------===//
// Users and their memory
//===----------------------------------------------------------------------===//

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
