//===- RegionTasks.cpp - Tasks over regions under a given order -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds conflicts of tasks with a given order: first by the fast check of
// regions, then pair by pair among those that it reports, so that messages name
// two tasks and the memory that they share.
//
//===----------------------------------------------------------------------===//

#include "sluice/Analysis/RegionTasks.h"
#include "Programs.h"

#include <algorithm>
#include <set>

using namespace sluice;
using namespace sluice::regions;
using rdir::Privilege;

bool regions::conflict(const Use &first, const Use &second) {
  if (first.privilege == Privilege::Read && second.privilege == Privilege::Read)
    return false;
  return first.privilege != Privilege::Reduce ||
         second.privilege != Privilege::Reduce ||
         first.reduction != second.reduction;
}

namespace {
/// The uses of one task by object.
using ObjectUses = std::vector<std::pair<uint32_t, uint32_t>>;

class RegionChecker {
public:
  RegionChecker(const TaskSystem &system, const Proof &proof);

  RegionCheck run();

private:
  template <typename Visitor>
  void forEachConflict(uint32_t first, uint32_t second, Visitor visit) const;
  void startGraph(uint32_t graph);
  void checkInstances(uint32_t task);
  void checkOrder(const Forest &forest);
  void checkAllPairs();
  Answer ask(const Meeting &meeting);
  const Task &task(uint32_t index) const {
    return system.graphs[graph].tasks[index];
  }
  uint32_t objectOf(const Use &use) const {
    return system.ranges[use.range].object;
  }

  const TaskSystem &system;
  const Proof &proof;
  std::vector<uint32_t> anywhere;
  RegionCheck result;

  /// The current graph, and the uses of its tasks.
  uint32_t graph = 0;
  std::vector<ObjectUses> uses;
  std::set<Meeting> asked;
  /// Objects for which all pairs without an order are needed.
  std::vector<bool> needsAll;
};
} // namespace

RegionChecker::RegionChecker(const TaskSystem &system, const Proof &proof)
    : system(system), proof(proof) {
  for (uint32_t object = 0; object != system.objects.size(); ++object)
    if (system.objects[object].isAnywhere)
      anywhere.push_back(object);
}

void RegionChecker::startGraph(uint32_t index) {
  graph = index;
  uses.assign(system.graphs[graph].tasks.size(), {});
  for (uint32_t i = 0; i != uses.size(); ++i) {
    for (uint32_t use = 0; use != task(i).uses.size(); ++use)
      uses[i].push_back({objectOf(task(i).uses[use]), use});
    std::sort(uses[i].begin(), uses[i].end());
  }
  asked.clear();
  needsAll.assign(system.objects.size(), false);
}

/// Calls `visit` with the indices of uses that conflict and share an object.
/// For a task and itself, each pair is visited once.
template <typename Visitor>
void RegionChecker::forEachConflict(uint32_t first, uint32_t second,
                                    Visitor visit) const {
  auto visitAll = [&](uint32_t use, auto begin, auto end) {
    for (auto it = begin; it != end; ++it)
      if (conflict(task(first).uses[use], task(second).uses[it->second]) &&
          (first != second || use <= it->second))
        visit(use, it->second);
  };
  const ObjectUses &others = uses[second];
  auto usesOf = [&](uint32_t object) {
    auto begin = std::lower_bound(others.begin(), others.end(),
                                  std::pair(object, uint32_t(0)));
    auto end = begin;
    while (end != others.end() && end->first == object)
      ++end;
    return std::pair(begin, end);
  };
  for (auto [object, use] : uses[first]) {
    if (system.objects[object].isAnywhere) {
      visitAll(use, others.begin(), others.end());
      continue;
    }
    auto [begin, end] = usesOf(object);
    visitAll(use, begin, end);
    for (uint32_t outer : anywhere) {
      auto [outerBegin, outerEnd] = usesOf(outer);
      visitAll(use, outerBegin, outerEnd);
    }
  }
}

Answer RegionChecker::ask(const Meeting &meeting) {
  Answer answer = proof(meeting);
  (answer == Answer::Disjoint ? result.disjoint
   : answer == Answer::Meet   ? result.met
                              : result.unknown)
      .push_back(meeting);
  return answer;
}

/// Step 1.
void RegionChecker::checkInstances(uint32_t index) {
  if (!isReplicated(task(index)))
    return;
  forEachConflict(index, index, [&](uint32_t first, uint32_t second) {
    ask({graph, index, index, first, second, true});
  });
}

/// Step 2. A pair without an order is reported for each object. But after a
/// write, earlier users are no longer examined. So if such a pair is not a race
/// after all, or not for certain, all pairs of the object are examined.
void RegionChecker::checkOrder(const Forest &forest) {
  OrderedProgram program(system, graph, forest);
  program.addRun([&](uint32_t range) { return forest.regionsOf(range); });
  for (const OrderedProgram::Pair &pair : program.findUnordered()) {
    uint32_t first = pair.first, second = pair.second;
    forEachConflict(first, second, [&](uint32_t i, uint32_t j) {
      const Use &a = task(first).uses[i], &b = task(second).uses[j];
      if (!mayOverlap(system, a.range, b.range))
        return;
      Meeting meeting = {graph, first, second, i, j, pair.isPointwise};
      asked.insert(meeting);
      if (ask(meeting) != Answer::Meet && objectOf(a) == objectOf(b))
        needsAll[objectOf(a)] = true;
    });
  }
  if (std::find(needsAll.begin(), needsAll.end(), true) != needsAll.end())
    checkAllPairs();
}

void RegionChecker::checkAllPairs() {
  std::vector<bool> isUser(uses.size());
  for (uint32_t i = 0; i != uses.size(); ++i)
    for (auto [object, use] : uses[i])
      isUser[i] = isUser[i] || needsAll[object];
  forEachUnordered(
      system.graphs[graph], isUser,
      [&](uint32_t first, uint32_t second, bool isPointwise) {
        forEachConflict(first, second, [&](uint32_t i, uint32_t j) {
          const Use &a = task(first).uses[i], &b = task(second).uses[j];
          Meeting meeting = {graph, first, second, i, j, isPointwise};
          if (needsAll[objectOf(a)] && objectOf(a) == objectOf(b) &&
              mayOverlap(system, a.range, b.range) && !asked.count(meeting))
            ask(meeting);
        });
        return true;
      });
}

RegionCheck RegionChecker::run() {
  Forest forest(system);
  for (uint32_t index = 0; index != system.graphs.size(); ++index) {
    startGraph(index);
    for (uint32_t task = 0; task != uses.size(); ++task)
      checkInstances(task);
    checkOrder(forest);
  }
  return std::move(result);
}

RegionCheck regions::checkTasks(const TaskSystem &system, const Proof &proof) {
  return RegionChecker(system, proof).run();
}
