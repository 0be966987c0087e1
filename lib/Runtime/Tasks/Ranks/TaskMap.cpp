//===- TaskMap.cpp - The nodes and accesses of tasks ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A task that calls a function is one node with the same name. A task that is a
// graph or a grid begins with a node NAME.enter and ends with NAME.leave.
//
//===----------------------------------------------------------------------===//

#include "TaskMap.h"

#include "sluice/Base/Text.h"

#include <algorithm>
#include <string_view>

using namespace sluice;
using namespace sluice::tasks;

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

/// The name of a node without the name of its graph.
static std::string_view nameIn(const SluicePlan &plan, uint32_t node) {
  std::string_view name = plan.nodes[node].name, graph = plan.name;
  if (name.size() > graph.size() && name.starts_with(graph) &&
      name[graph.size()] == '/')
    name.remove_prefix(graph.size() + 1);
  return name;
}

/// The node after those of a task that begins at `first`; `first` if no task
/// with this name does.
static uint32_t endOfTask(const SluicePlan &plan, uint32_t first,
                          std::string_view name) {
  if (first == plan.numNodes)
    return first;
  std::string_view found = nameIn(plan, first);
  if (found == name)
    return first + 1;
  if (found != concat(name, ".enter"))
    return first;
  const std::string leave = concat(name, ".leave");
  for (uint32_t node = first + 1; node < plan.numNodes; ++node)
    if (nameIn(plan, node) == leave)
      return node + 1;
  return first;
}

static Status findNodes(const SluiceTaskProgram &program, TaskMap &map) {
  const SluicePlan &plan = *program.plan;
  map.firstNode.push_back(0);
  for (uint32_t task = 0; task < program.numTasks; ++task) {
    const uint32_t first = map.firstNode.back();
    const uint32_t end = endOfTask(plan, first, program.tasks[task].name);
    if (end == first)
      return Status::invalidArgument(
          concat("task graph ", quoted(program.name), ": node ", first,
                 " of its plan does not begin task ",
                 quoted(program.tasks[task].name), "; build it again"));
    map.taskOf.resize(end, task);
    map.firstNode.push_back(end);
  }
  if (map.firstNode.back() != plan.numNodes)
    return Status::invalidArgument(
        concat("task graph ", quoted(program.name), ": its plan has ",
               plan.numNodes, " nodes, but the tasks have ",
               map.firstNode.back(), "; build it again"));
  map.before.resize(program.numTasks);
  for (uint32_t node = 0; node < plan.numNodes; ++node)
    for (uint32_t i = 0; i < plan.nodes[node].numSuccessors; ++i) {
      const uint32_t next = plan.nodes[node].successors[i].node;
      if (next < plan.numNodes && map.taskOf[next] != map.taskOf[node])
        map.before[map.taskOf[next]].push_back(map.taskOf[node]);
    }
  for (std::vector<uint32_t> &before : map.before) {
    std::sort(before.begin(), before.end());
    before.erase(std::unique(before.begin(), before.end()), before.end());
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

int64_t tasks::numElements(const SluiceTaskData &data) {
  int64_t count = 1;
  for (uint32_t d = 0; d < data.rank; ++d)
    count *= data.shape[d];
  return count;
}

int64_t tasks::countOf(const Runs &runs) {
  int64_t count = 0;
  for (const SluiceRun &run : runs)
    count += run.end - run.begin;
  return count;
}

static Runs runsOf(const SluiceTaskView &view) {
  int64_t block = 1, numBlocks = 1;
  uint32_t outer = view.rank;
  // Dimensions without gaps form one block.
  while (outer > 0 &&
         (view.shape[outer - 1] == 1 || view.strides[outer - 1] == block))
    block *= view.shape[--outer];
  for (uint32_t d = 0; d < outer; ++d)
    numBlocks *= view.shape[d];
  Runs runs;
  if (block == 0 || numBlocks == 0)
    return runs;
  runs.reserve(numBlocks);
  for (int64_t number = 0; number < numBlocks; ++number) {
    int64_t begin = view.offset, rest = number;
    for (uint32_t d = outer; d-- > 0; rest /= view.shape[d])
      begin += rest % view.shape[d] * view.strides[d];
    runs.push_back({begin, begin + block});
  }
  regions::normalize(runs);
  return runs;
}

static Status checkInside(const SluiceTaskProgram &program, uint32_t task,
                          uint32_t data, const Runs &runs) {
  if (runs.empty() || (runs.front().begin >= 0 &&
                       runs.back().end <= numElements(program.data[data])))
    return {};
  return Status::invalidArgument(
      concat("task graph ", quoted(program.name), ": task ",
             quoted(program.tasks[task].name), " was given elements ",
             runs.front().begin, " to ", runs.back().end, " of dataset ",
             quoted(program.data[data].name), ", which has ",
             numElements(program.data[data])));
}

static Status findAccesses(const SluiceTaskProgram &program, TaskMap &map) {
  map.accesses.resize(program.numTasks);
  for (uint32_t task = 0; task < program.numTasks; ++task) {
    const SluiceTaskRecord &record = program.tasks[task];
    std::vector<DatasetAccess> &accesses = map.accesses[task];
    for (uint32_t i = 0; i < record.numArguments; ++i) {
      const SluiceTaskArgument &argument = record.arguments[i];
      if (program.data[argument.data].kind == SLUICE_DATA_PYOBJ)
        continue;
      const Runs runs = runsOf(argument.view);
      if (Status status = checkInside(program, task, argument.data, runs);
          !status.ok())
        return status;
      auto access = std::find_if(
          accesses.begin(), accesses.end(),
          [&](const DatasetAccess &one) { return one.data == argument.data; });
      if (access == accesses.end())
        access = accesses.insert(accesses.end(), {argument.data, {}, {}});
      if (argument.access & SLUICE_ACCESS_IN)
        access->reads = regions::uniteRuns(access->reads, runs);
      if (argument.access & SLUICE_ACCESS_OUT)
        access->writes = regions::uniteRuns(access->writes, runs);
    }
  }
  return {};
}

Result<TaskMap> TaskMap::of(const SluiceTaskProgram &program) {
  TaskMap map;
  if (Status status = findNodes(program, map); !status.ok())
    return status;
  if (Status status = findAccesses(program, map); !status.ok())
    return status;
  return map;
}
