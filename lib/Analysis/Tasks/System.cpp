//===- System.cpp - Tasks as regions --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All shared data becomes objects, and every part that a task uses becomes a
// separate range. The order is that of the task graph; nothing here depends on
// how it was found.
//
//===----------------------------------------------------------------------===//

#include "System.h"
#include "Cells.h"

#include "llvm/ADT/STLExtras.h"

using namespace sluice;
using namespace sluice::dfg;
using rdir::Privilege;

/// Elements count as bytes here: only their order matters.
static regions::Span spanOf(const Part &part, llvm::ArrayRef<int64_t> shape) {
  int64_t begin = 0, last = 0;
  for (auto [range, extent] : llvm::zip_equal(part, shape)) {
    begin = begin * extent + range.first;
    last = last * extent + range.last();
  }
  return {begin, last + 1};
}

static Privilege privilegeOf(Access mode) {
  if (!writes(mode))
    return Privilege::Read;
  return reads(mode) ? Privilege::ReadWrite : Privilege::WriteDiscard;
}

/// Merges the accesses of a task to one part through several arguments.
static std::vector<TaskAccess> merged(llvm::ArrayRef<TaskAccess> accesses) {
  std::vector<TaskAccess> result;
  for (const TaskAccess &access : accesses) {
    auto known = llvm::find_if(result, [&](const TaskAccess &other) {
      return other.data == access.data && other.part == access.part;
    });
    if (known == result.end())
      result.push_back(access);
    else
      known->mode = Access(int(known->mode) | int(access.mode));
  }
  return result;
}

static void addTask(PartSystem &result, const std::string &name,
                    llvm::ArrayRef<TaskAccess> accesses,
                    llvm::ArrayRef<TaskData> data) {
  regions::TaskGraph &graph = result.system.graphs.front();
  regions::Task task{name};
  std::map<unsigned, unsigned> uses;
  for (const TaskAccess &access : merged(accesses)) {
    const TaskData &used = data[access.data];
    const Part &part = used.parts[access.part];
    if (isEmpty(part))
      continue;
    unsigned number = ++uses[access.data];
    std::string range = graph.name + "." + name + "." + used.name +
                        (number == 1 ? "" : "#" + std::to_string(number));
    task.uses.push_back(
        {uint32_t(result.parts.size()), privilegeOf(access.mode)});
    result.system.ranges.push_back(
        {access.data, range, spanOf(part, used.shape)});
    result.parts.push_back(part);
  }
  graph.tasks.push_back(std::move(task));
}

static void addOrder(const TaskOrder &order, regions::TaskGraph &graph) {
  for (unsigned task = 0; task != order.tasks.size(); ++task)
    for (unsigned before : order.predecessors[task])
      graph.order.push_back({before, task});
}

PartSystem sluice::partSystem(const TaskOrder &order,
                              const TaskAccesses &accesses) {
  PartSystem result;
  regions::TaskGraph &graph = result.system.graphs.emplace_back();
  if (!order.tasks.empty()) {
    TaskOp first = order.tasks.front();
    graph.name = mlir::cast<TaskGraphOp>(first->getParentOp()).getSymName();
  }
  for (const TaskData &data : accesses.data)
    result.system.objects.push_back(
        {(data.kind == TaskData::Kind::File    ? "file "
          : data.kind == TaskData::Kind::State ? "state "
                                               : "") +
         data.name});
  for (unsigned task = 0; task != order.tasks.size(); ++task)
    addTask(result, order.names[task], accesses.byTask[task], accesses.data);
  addOrder(order, graph);
  return result;
}

//===----------------------------------------------------------------------===//
// Cells
//===----------------------------------------------------------------------===//

/// The limit for uses of cells, and for the steps to find them.
static constexpr int64_t maxCells = 8'000'000;

namespace {
class CellSystemBuilder {
public:
  CellSystemBuilder(const TaskOrder &order, const TaskAccesses &accesses)
      : order(order), accesses(accesses), objects(accesses.data.size()) {}

  std::optional<CellSystem> run();

private:
  bool addTask(unsigned task);
  uint32_t objectOf(unsigned data, uint64_t cell);

  const TaskOrder &order;
  const TaskAccesses &accesses;
  std::vector<Cells> cells;
  /// By data: by cell.
  std::vector<llvm::DenseMap<uint64_t, uint32_t>> objects;
  CellSystem result;
  int64_t budget = maxCells;
};
} // namespace

uint32_t CellSystemBuilder::objectOf(unsigned data, uint64_t cell) {
  auto [it, isNew] = objects[data].try_emplace(cell, result.data.size());
  if (isNew) {
    result.data.push_back(data);
    result.system.objects.push_back({accesses.data[data].name});
    result.system.ranges.push_back({it->second, "", std::nullopt});
  }
  return it->second;
}

/// Cells that several arguments share are used once.
bool CellSystemBuilder::addTask(unsigned task) {
  std::map<uint32_t, Access> modes;
  for (const TaskAccess &access : accesses.byTask[task])
    for (uint64_t cell : cells[access.data].byPart[access.part]) {
      Access &mode = modes[objectOf(access.data, cell)];
      mode = Access(int(mode) | int(access.mode));
    }
  regions::Task added{order.names[task]};
  for (auto [object, mode] : modes)
    added.uses.push_back({object, privilegeOf(mode)});
  budget -= int64_t(added.uses.size());
  result.system.graphs.front().tasks.push_back(std::move(added));
  return budget >= 0;
}

std::optional<CellSystem> CellSystemBuilder::run() {
  for (const TaskData &data : accesses.data) {
    std::optional<Cells> found = findCells(data, maxCells);
    if (!found)
      return std::nullopt;
    cells.push_back(std::move(*found));
  }
  result.system.graphs.emplace_back();
  for (unsigned task = 0; task != order.tasks.size(); ++task)
    if (!addTask(task))
      return std::nullopt;
  addOrder(order, result.system.graphs.front());
  return std::move(result);
}

std::optional<CellSystem> sluice::cellSystem(const TaskOrder &order,
                                             const TaskAccesses &accesses) {
  return CellSystemBuilder(order, accesses).run();
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

regions::Answer PartSystem::answer(const regions::Meeting &meeting) const {
  const regions::TaskGraph &graph = system.graphs[meeting.graph];
  uint32_t first = graph.tasks[meeting.first].uses[meeting.firstUse].range;
  uint32_t second = graph.tasks[meeting.second].uses[meeting.secondUse].range;
  return sharesElements(parts[first], parts[second])
             ? regions::Answer::Meet
             : regions::Answer::Disjoint;
}

std::string sluice::printTaskRegions(const TaskOrder &order) {
  PartSystem parts = partSystem(order, TaskAccesses(order));
  regions::RegionCheck check =
      regions::checkTasks(parts.system, [&](const regions::Meeting &meeting) {
        return parts.answer(meeting);
      });
  return regions::printRegions(parts.system, check, {});
}
