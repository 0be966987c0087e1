//===- ProgramUsers.h - Earlier users of aliasing data ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the accesses that an access conflicts with, in sets that many later
// accesses share, so that n readers of an aliased partition after n writers of
// a disjoint one cost n and not n * n.
//
// Without constraints, all of the forest's proofs of disjointness come from
// disjoint partitions. A partition, and each color of an aliased one, may alias
// exactly the regions that its parent may alias. So users are kept only at
// roots and at colors of disjoint partitions, which are the nodes of the tree:
//
//   1. An access at node n conflicts with users at its ancestors, at n, below
//      n, and below its ancestors in other partitions than the path to n.
//   2. A write at n replaces the users at and below n: later accesses that
//      conflict with these users conflict with the write too.
//
// With constraints, each region is a node, and all nodes are searched.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_RDIR_PROGRAMS_PROGRAMUSERS_H
#define SLUICE_LIB_RDIR_PROGRAMS_PROGRAMUSERS_H

#include "sluice/RDIR/SequentialProgram.h"

#include <functional>
#include <map>

namespace sluice::rdir {

/// An argument of a task that touched a region.
struct User {
  uint32_t task, argument;
};

/// Users with one privilege (and operator), in the order of their accesses.
using UserSet = std::vector<User>;

/// A pool of sets, which are immutable and numbered and live as long as the
/// pool.
class UserSetPool {
public:
  uint32_t add(UserSet set) {
    sets.push_back(std::move(set));
    return sets.size() - 1;
  }
  const UserSet &operator[](uint32_t index) const { return sets[index]; }
  size_t size() const { return sets.size(); }

private:
  std::vector<UserSet> sets;
};

/// The users of one field class of a tree. If there are constraints, of all
/// trees.
class UserTree {
public:
  UserTree(const RegionForest &forest, UserSetPool &pool)
      : forest(forest), pool(pool) {}

  /// Calls `conflict` with each set of earlier users that conflict with the
  /// argument, then records the argument.
  void access(const ProgramArgument &argument, User user,
              const std::function<void(uint32_t)> &conflict);

private:
  /// Read, write, or reduce with one operator.
  using Kind = uint32_t;
  using KindSets = std::map<Kind, UserSet>;
  using Conflict = std::function<void(uint32_t)>;
  /// Sets made from users, valid until these users change.
  using Cache = std::map<Kind, uint32_t>;
  /// Children of a node in one partition.
  struct Branch {
    RegionIndex partition = noRegion;
    std::vector<uint32_t> children;
    Cache cache;
  };
  struct Node {
    RegionIndex region = noRegion;
    uint32_t parent = UINT32_MAX, branch = UINT32_MAX;
    KindSets users;
    Cache cache;
    std::vector<Branch> branches;
    /// Listed among the children of the branch above; the same holds for all
    /// ancestors.
    bool isListed = false;
  };

  static Kind kindOf(const ProgramArgument &argument);
  RegionIndex nodeRegion(RegionIndex region) const;
  uint32_t nodeOf(RegionIndex region);
  uint32_t branchOf(uint32_t node, RegionIndex partition);
  void list(uint32_t node);
  void gather(uint32_t node, Kind kind, UserSet &set) const;
  void reportNode(uint32_t node, Kind kind, const Conflict &conflict);
  void reportBranch(Branch &branch, Kind kind, const Conflict &conflict);
  void reportTree(uint32_t node, Kind kind, const Conflict &conflict);
  void reportConstrained(RegionIndex region, Kind kind,
                         const Conflict &conflict);
  void clearBelow(uint32_t node);
  void clearConstrained(RegionIndex region);
  void forgetSets(uint32_t node, Kind kind);

  const RegionForest &forest;
  UserSetPool &pool;
  std::vector<Node> nodes;
  std::unordered_map<RegionIndex, uint32_t> index;
  /// The kinds of all accesses so far, sorted.
  std::vector<Kind> kinds;
};

} // namespace sluice::rdir

#endif // SLUICE_LIB_RDIR_PROGRAMS_PROGRAMUSERS_H
