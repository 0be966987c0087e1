//===- Repeated.cpp - Two runs of one graph that overlap ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program of two runs, with the order that the runtime adds: for each
// object that it knows, the writers of the first run come before all users of
// the second, and the readers before the writers. A task without uses joins
// them, so that many before many take few pairs.
//
//===----------------------------------------------------------------------===//

#include "Programs.h"

#include <algorithm>

using namespace sluice;
using namespace sluice::regions;
using rdir::Privilege;

namespace {
/// The tasks of a graph that use one object.
struct Users {
  std::vector<uint32_t> readers, writers;
};

class Repeater {
public:
  Repeater(const TaskSystem &system, uint32_t graph)
      : system(system), number(graph), graph(system.graphs[graph]),
        forest(system, std::vector<bool>(system.ranges.size(), true)),
        program(system, graph, forest), users(system.objects.size()) {}

  RepeatCheck run(const std::function<bool(uint32_t)> &isShared,
                  const std::function<bool(uint32_t)> &isOrdered);

private:
  void findUsers();
  void addRuns(const std::function<bool(uint32_t)> &isShared);
  void orderRuns(const std::vector<uint32_t> &before,
                 const std::vector<uint32_t> &after);
  void addMeetings(const OrderedProgram::Pair &pair, RepeatCheck &result);

  const TaskSystem &system;
  uint32_t number;
  const TaskGraph &graph;
  Forest forest;
  OrderedProgram program;
  std::vector<Users> users;
};
} // namespace

void Repeater::findUsers() {
  for (uint32_t task = 0; task != graph.tasks.size(); ++task)
    for (const Use &use : graph.tasks[task].uses) {
      Users &known = users[system.ranges[use.range].object];
      auto &list =
          use.privilege == Privilege::Read ? known.readers : known.writers;
      if (list.empty() || list.back() != task)
        list.push_back(task);
    }
}

/// What is not shared is memory of its own in each run. Runs are compared
/// object by object only, so one range stands for the whole object.
void Repeater::addRuns(const std::function<bool(uint32_t)> &isShared) {
  program.addRun([&](uint32_t range) { return forest.partition(range); });
  std::vector<rdir::RegionIndex> own(system.ranges.size(), rdir::noRegion);
  program.addRun([&](uint32_t range) {
    if (isShared(system.ranges[range].object))
      return forest.partition(range);
    if (own[range] == rdir::noRegion)
      own[range] = forest.addTwin(system, range);
    return own[range];
  });
}

/// `before` of the first run come before `after` of the second.
void Repeater::orderRuns(const std::vector<uint32_t> &before,
                         const std::vector<uint32_t> &after) {
  if (before.empty() || after.empty())
    return;
  uint32_t join = program.addJoin();
  for (uint32_t task : before)
    for (uint32_t instance : program.tasksOf(0, task))
      program.addOrder(instance, join);
  for (uint32_t task : after)
    for (uint32_t instance : program.tasksOf(1, task))
      program.addOrder(join, instance);
}

/// All pairs of uses of the two tasks that conflict and may be one memory.
void Repeater::addMeetings(const OrderedProgram::Pair &pair,
                           RepeatCheck &result) {
  const Task &first = graph.tasks[pair.first];
  const Task &second = graph.tasks[pair.second];
  for (uint32_t i = 0; i != first.uses.size(); ++i)
    for (uint32_t j = 0; j != second.uses.size(); ++j)
      if (conflict(first.uses[i], second.uses[j]) &&
          forest.mayAlias(first.uses[i].range, second.uses[j].range))
        result.meetings.push_back(
            {number, pair.first, pair.second, i, j, false});
}

RepeatCheck Repeater::run(const std::function<bool(uint32_t)> &isShared,
                          const std::function<bool(uint32_t)> &isOrdered) {
  RepeatCheck result;
  findUsers();
  addRuns(isShared);
  for (uint32_t object = 0; object != users.size(); ++object) {
    const Users &known = users[object];
    if (known.writers.empty() || !isShared(object) || !isOrdered(object))
      continue;
    result.orderedObjects.push_back(object);
    orderRuns(known.writers, known.writers);
    orderRuns(known.writers, known.readers);
    orderRuns(known.readers, known.writers);
  }
  for (const OrderedProgram::Pair &pair : program.findUnordered())
    if (pair.firstRun != pair.secondRun)
      addMeetings(pair, result);
  return result;
}

RepeatCheck
regions::checkRepeated(const TaskSystem &system, uint32_t graph,
                       const std::function<bool(uint32_t)> &isShared,
                       const std::function<bool(uint32_t)> &isOrdered) {
  return Repeater(system, graph).run(isShared, isOrdered);
}
