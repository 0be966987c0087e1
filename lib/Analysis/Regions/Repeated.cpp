//===- Repeated.cpp - Overlapping runs of one graph -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program of two runs, with the order that the runtime adds: for each
// object that it knows, the writers of the first run come before all users of
// the second run, and the readers before the writers. A task without uses joins
// them, so that an order of many tasks before many others takes few pairs.
//
//===----------------------------------------------------------------------===//

#include "Programs.h"

#include <algorithm>

using namespace sluice;
using namespace sluice::regions;
using rdir::Privilege;

namespace {
class Repeater {
public:
  Repeater(const TaskSystem &system, uint32_t graph,
           const std::function<RunMemory(uint32_t)> &memoryOf);

  RepeatCheck run();

private:
  /// The tasks of the graph that use one object.
  struct Users {
    RunMemory memory = RunMemory::Own;
    std::vector<uint32_t> readers, writers;
  };
  void addRuns();
  void orderRuns(const std::vector<uint32_t> &before,
                 const std::vector<uint32_t> &after);
  void addMeetings(const OrderedProgram::Pair &pair, RepeatCheck &result);
  bool mayMeet(const Use &first, const Use &second) const;

  const TaskSystem &system;
  uint32_t number;
  const TaskGraph &graph;
  Forest forest;
  OrderedProgram program;
  /// By object.
  std::vector<Users> users;
};
} // namespace

Repeater::Repeater(const TaskSystem &system, uint32_t graph,
                   const std::function<RunMemory(uint32_t)> &memoryOf)
    : system(system), number(graph), graph(system.graphs[graph]),
      forest(system), program(system, graph, forest),
      users(system.objects.size()) {
  for (uint32_t object = 0; object != users.size(); ++object)
    users[object].memory = memoryOf(object);
  for (uint32_t task = 0; task != this->graph.tasks.size(); ++task)
    for (const Use &use : this->graph.tasks[task].uses) {
      Users &known = users[system.ranges[use.range].object];
      auto &list =
          use.privilege == Privilege::Read ? known.readers : known.writers;
      if (list.empty() || list.back() != task)
        list.push_back(task);
    }
}

void Repeater::addRuns() {
  program.addRun([&](uint32_t range) { return forest.regionsOf(range); });
  std::vector<rdir::RegionIndex> twins(users.size(), rdir::noRegion);
  for (uint32_t object = 0; object != users.size(); ++object)
    if (users[object].memory == RunMemory::Own)
      twins[object] = forest.addTwin(object);
  program.addRun([&](uint32_t range) {
    rdir::RegionIndex twin = twins[system.ranges[range].object];
    return twin == rdir::noRegion ? forest.regionsOf(range) : std::vector{twin};
  });
}

/// Orders `before` of the first run before `after` of the second.
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

/// True if a use in the first run and one in the second may be the same memory.
bool Repeater::mayMeet(const Use &first, const Use &second) const {
  uint32_t object = system.ranges[first.range].object;
  bool isOwn = object == system.ranges[second.range].object &&
               users[object].memory == RunMemory::Own;
  return !isOwn && conflict(first, second) &&
         mayOverlap(system, first.range, second.range);
}

void Repeater::addMeetings(const OrderedProgram::Pair &pair,
                           RepeatCheck &result) {
  const Task &first = graph.tasks[pair.first];
  const Task &second = graph.tasks[pair.second];
  for (uint32_t i = 0; i != first.uses.size(); ++i)
    for (uint32_t j = 0; j != second.uses.size(); ++j)
      if (mayMeet(first.uses[i], second.uses[j]))
        result.meetings.push_back(
            {number, pair.first, pair.second, i, j, false});
}

RepeatCheck Repeater::run() {
  RepeatCheck result;
  bool isFree = false;
  for (uint32_t object = 0; object != users.size(); ++object) {
    const Users &known = users[object];
    isFree |= known.memory == RunMemory::Free;
    if (known.memory == RunMemory::Ordered && !known.writers.empty())
      result.orderedObjects.push_back(object);
  }
  // Otherwise the runtime's order covers every pair.
  if (!isFree)
    return result;
  addRuns();
  for (uint32_t object : result.orderedObjects) {
    orderRuns(users[object].writers, users[object].writers);
    orderRuns(users[object].writers, users[object].readers);
    orderRuns(users[object].readers, users[object].writers);
  }
  for (const OrderedProgram::Pair &pair : program.findUnordered())
    if (pair.firstRun != pair.secondRun)
      addMeetings(pair, result);
  return result;
}

RepeatCheck
regions::checkRepeated(const TaskSystem &system, uint32_t graph,
                       const std::function<RunMemory(uint32_t)> &memoryOf) {
  return Repeater(system, graph, memoryOf).run();
}
