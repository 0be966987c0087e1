//===- ProgramUsers.cpp - Earlier users of data that may alias ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sets of users are made on demand and kept until the users they were made from
// change.
//
//===----------------------------------------------------------------------===//

#include "ProgramUsers.h"

#include <algorithm>

using namespace sluice::rdir;

static constexpr uint32_t readKind = 0, writeKind = 1, firstReduceKind = 2;

UserTree::Kind UserTree::kindOf(const ProgramArgument &argument) {
  switch (argument.privilege) {
  case Privilege::Read:
    return readKind;
  case Privilege::ReadWrite:
  case Privilege::WriteDiscard:
    return writeKind;
  case Privilege::Reduce:
    return firstReduceKind + argument.reduction;
  }
  return writeKind;
}

/// Readers do not conflict with each other, nor do reducers with one operator.
static bool kindsConflict(uint32_t a, uint32_t b) {
  return a != b || a == writeKind;
}

/// The lowest region that may alias exactly what `region` may alias.
RegionIndex UserTree::nodeRegion(RegionIndex region) const {
  if (forest.hasConstraints())
    return region;
  for (;; region = forest.parent(region))
    if (forest.kind(region) == RegionKind::Root ||
        (forest.kind(region) == RegionKind::Subregion &&
         forest.isDisjoint(forest.parent(region))))
      return region;
}

uint32_t UserTree::nodeOf(RegionIndex region) {
  region = nodeRegion(region);
  if (auto it = index.find(region); it != index.end())
    return it->second;
  uint32_t parent = UINT32_MAX, branch = UINT32_MAX;
  if (!forest.hasConstraints() && forest.kind(region) != RegionKind::Root) {
    RegionIndex partition = forest.parent(region);
    parent = nodeOf(partition);
    branch = branchOf(parent, partition);
  }
  nodes.emplace_back();
  nodes.back().region = region;
  nodes.back().parent = parent;
  nodes.back().branch = branch;
  return index[region] = nodes.size() - 1;
}

uint32_t UserTree::branchOf(uint32_t node, RegionIndex partition) {
  auto &branches = nodes[node].branches;
  for (uint32_t i = 0; i < branches.size(); ++i)
    if (branches[i].partition == partition)
      return i;
  branches.emplace_back().partition = partition;
  return branches.size() - 1;
}

/// Makes sure that the node can be found from its ancestors.
void UserTree::list(uint32_t node) {
  for (; !nodes[node].isListed; node = nodes[node].parent) {
    nodes[node].isListed = true;
    if (nodes[node].parent == UINT32_MAX)
      return;
    nodes[nodes[node].parent].branches[nodes[node].branch].children.push_back(
        node);
  }
}

void UserTree::gather(uint32_t node, Kind kind, UserSet &set) const {
  if (auto it = nodes[node].users.find(kind); it != nodes[node].users.end())
    set.insert(set.end(), it->second.begin(), it->second.end());
  for (const Branch &branch : nodes[node].branches)
    for (uint32_t child : branch.children)
      gather(child, kind, set);
}

void UserTree::reportNode(uint32_t node, Kind kind, const Conflict &conflict) {
  for (const auto &[other, users] : nodes[node].users) {
    if (!kindsConflict(kind, other))
      continue;
    auto [it, isNew] = nodes[node].cache.try_emplace(other);
    if (isNew)
      it->second = pool.add(users);
    conflict(it->second);
  }
}

void UserTree::reportBranch(Branch &branch, Kind kind,
                            const Conflict &conflict) {
  for (Kind other : kinds) {
    if (!kindsConflict(kind, other))
      continue;
    auto [it, isNew] = branch.cache.try_emplace(other);
    if (isNew) {
      UserSet set;
      for (uint32_t child : branch.children)
        gather(child, other, set);
      it->second = pool.add(std::move(set));
    }
    conflict(it->second);
  }
}

/// Rule 1.
void UserTree::reportTree(uint32_t node, Kind kind, const Conflict &conflict) {
  uint32_t pathBranch = UINT32_MAX;
  for (uint32_t current = node; current != UINT32_MAX;) {
    reportNode(current, kind, conflict);
    auto &branches = nodes[current].branches;
    for (uint32_t i = 0; i < branches.size(); ++i)
      if (i != pathBranch && !branches[i].children.empty())
        reportBranch(branches[i], kind, conflict);
    pathBranch = nodes[current].branch;
    current = nodes[current].parent;
  }
}

void UserTree::reportConstrained(RegionIndex region, Kind kind,
                                 const Conflict &conflict) {
  for (uint32_t node = 0; node < nodes.size(); ++node)
    if (!nodes[node].users.empty() &&
        forest.mayAlias(nodes[node].region, region))
      reportNode(node, kind, conflict);
}

/// Rule 2.
void UserTree::clearBelow(uint32_t node) {
  nodes[node].users.clear();
  nodes[node].cache.clear();
  for (Branch &branch : nodes[node].branches) {
    for (uint32_t child : branch.children) {
      clearBelow(child);
      nodes[child].isListed = false;
    }
    branch.children.clear();
    branch.cache.clear();
  }
}

void UserTree::clearConstrained(RegionIndex region) {
  for (Node &node : nodes) {
    if (node.users.empty() || !forest.isSubregion(node.region, region))
      continue;
    node.users.clear();
    node.cache.clear();
  }
}

/// Drops the cached sets that an access of this kind changes.
void UserTree::forgetSets(uint32_t node, Kind kind) {
  nodes[node].cache.erase(kind);
  for (; nodes[node].parent != UINT32_MAX; node = nodes[node].parent) {
    Node &parent = nodes[nodes[node].parent];
    Cache &cache = parent.branches[nodes[node].branch].cache;
    if (kind == writeKind)
      cache.clear();
    else
      cache.erase(kind);
  }
}

void UserTree::access(const ProgramArgument &argument, User user,
                      const Conflict &conflict) {
  uint32_t node = nodeOf(argument.region);
  Kind kind = kindOf(argument);
  auto place = std::lower_bound(kinds.begin(), kinds.end(), kind);
  if (place == kinds.end() || *place != kind)
    kinds.insert(place, kind);
  bool isConstrained = forest.hasConstraints();
  if (isConstrained)
    reportConstrained(argument.region, kind, conflict);
  else
    reportTree(node, kind, conflict);
  if (kind == writeKind) {
    if (isConstrained)
      clearConstrained(argument.region);
    else
      clearBelow(node);
  }
  nodes[node].users[kind].push_back(user);
  forgetSets(node, kind);
  list(node);
}
