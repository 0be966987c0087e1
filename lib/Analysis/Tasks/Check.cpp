//===- Check.cpp - Problems in the order of tasks -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages about a task graph: tasks without an order, values that no task
// wrote or reads, edges without an effect.
//
//===----------------------------------------------------------------------===//

#include "System.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

#include <set>

using namespace sluice;
using namespace sluice::dfg;

namespace {
/// Finds explicit reads of unwritten data.
class ReadCheck {
public:
  ReadCheck(const TaskOrder &order, const TaskAccesses &accesses,
            bool hasRemarks)
      : order(order), accesses(accesses), hasRemarks(hasRemarks),
        written(accesses.data.size()) {}

  bool run();

private:
  void check(unsigned task, const TaskAccess &access);
  void refuse(unsigned task, const TaskAccess &access);
  void remark(unsigned task, const TaskAccess &access);
  void noteWriter(mlir::InFlightDiagnostic &diagnostic, unsigned task,
                  const TaskAccess &access) const;

  const TaskOrder &order;
  const TaskAccesses &accesses;
  bool hasRemarks;
  /// By data: the different parts written so far.
  std::vector<std::vector<unsigned>> written;
  /// Pairs (data, part) with a known answer, and those that were written.
  llvm::DenseSet<std::pair<unsigned, unsigned>> known, fine;
  bool isFine = true;
};
} // namespace

/// True if the data has a value before the first task, or is not part of this
/// graph.
static bool isInitialized(mlir::Operation *op) {
  if (auto dataset = mlir::dyn_cast_or_null<DatasetOp>(op))
    return dataset.getInitial().has_value();
  if (auto scalar = mlir::dyn_cast_or_null<ScalarOp>(op))
    return scalar.getValue().has_value();
  return !op;
}

/// Adds a note for the first task after `task` that writes the data it reads,
/// if there is one.
void ReadCheck::noteWriter(mlir::InFlightDiagnostic &diagnostic, unsigned task,
                           const TaskAccess &access) const {
  const std::vector<Part> &parts = accesses.data[access.data].parts;
  for (unsigned later = task + 1; later != order.tasks.size(); ++later)
    for (const TaskAccess &other : accesses.byTask[later])
      if (other.data == access.data && writes(other.mode) &&
          sharesElements(parts[access.part], parts[other.part])) {
        TaskOp writer = order.tasks[later];
        diagnostic.attachNote(writer.getLoc())
            << "'" << order.names[later]
            << "' writes it, but is created after '" << order.names[task]
            << "'";
        return;
      }
}

void ReadCheck::refuse(unsigned task, const TaskAccess &access) {
  const TaskData &data = accesses.data[access.data];
  isFine = false;
  TaskOp op = order.tasks[task];
  mlir::InFlightDiagnostic diagnostic =
      mlir::emitError(op.getLoc())
      << "task '" << order.names[task] << "' reads "
      << (access.argument.isPart() ? "a part of '" : "'") << data.name << "'";
  if (access.argument.getPassBy() == PassBy::Value)
    diagnostic << " by value";
  diagnostic << ", which has no value yet: no task before it writes there, and "
                "it has no initial value";
  diagnostic.attachNote(data.op->getLoc())
      << "'" << data.name << "' is declared here";
  noteWriter(diagnostic, task, access);
}

void ReadCheck::remark(unsigned task, const TaskAccess &access) {
  const TaskData &data = accesses.data[access.data];
  std::vector<Part> parts;
  for (unsigned part : written[access.data])
    parts.push_back(data.parts[part]);
  if (isCovered(data.parts[access.part], parts).value_or(true))
    return;
  TaskOp op = order.tasks[task];
  mlir::InFlightDiagnostic diagnostic =
      mlir::emitRemark(op.getLoc())
      << "task '" << order.names[task] << "' reads elements of '" << data.name
      << "' that no task before it writes: they are 0";
  diagnostic.attachNote(data.op->getLoc())
      << "'" << data.name << "' is declared here";
}

void ReadCheck::check(unsigned task, const TaskAccess &access) {
  const TaskData &data = accesses.data[access.data];
  const Part &part = data.parts[access.part];
  if (writes(access.mode) || isInitialized(data.op) || isEmpty(part) ||
      !fine.insert({access.data, access.part}).second)
    return;
  bool isTouched = llvm::any_of(written[access.data], [&](unsigned other) {
    return sharesElements(part, data.parts[other]);
  });
  if (!isTouched)
    refuse(task, access);
  else if (hasRemarks)
    remark(task, access);
}

bool ReadCheck::run() {
  for (unsigned task = 0; task != order.tasks.size(); ++task) {
    for (const TaskAccess &access : accesses.byTask[task])
      check(task, access);
    for (const TaskAccess &access : accesses.byTask[task])
      if (writes(access.mode) &&
          known.insert({access.data, access.part}).second)
        written[access.data].push_back(access.part);
  }
  return isFine;
}

/// True if the edge follows only from the order of creation, and no other edge
/// implies it.
static bool isByCreation(const TaskOrder &order, const TaskEdge &edge) {
  return !edge.isStated && !edge.data.empty() &&
         llvm::is_contained(order.predecessors[edge.after], edge.before);
}

static TaskData::Kind kindOf(TaskEdge::Reason reason) {
  switch (reason) {
  case TaskEdge::Reason::File:
    return TaskData::Kind::File;
  case TaskEdge::Reason::State:
    return TaskData::Kind::State;
  default:
    return TaskData::Kind::Value;
  }
}

static void remark(const TaskOrder &order, const TaskEdge &edge) {
  TaskOp task = order.tasks[edge.after], other = order.tasks[edge.before];
  const std::string &before = order.names[edge.before];
  mlir::InFlightDiagnostic diagnostic =
      mlir::emitRemark(task.getLoc())
      << "'" << order.names[edge.after] << "' waits for '" << before
      << "', because both use " << spellData(kindOf(edge.reason), edge.data)
      << " and '" << before << "' is created before it";
  diagnostic.attachNote(other.getLoc()) << "'" << before << "' is created here";
}

/// Nobody reads more.
static constexpr size_t maxRemarks = 100;

static void remarkOrder(const TaskOrder &order) {
  size_t count = 0;
  for (const TaskEdge &edge : order.edges)
    if (isByCreation(order, edge) && ++count <= maxRemarks)
      remark(order, edge);
  if (count <= maxRemarks)
    return;
  TaskOp first = order.tasks.front();
  mlir::emitRemark(first->getParentOp()->getLoc())
      << count - maxRemarks
      << " more waits come from the order of creation only";
}

namespace {
/// Two tasks and the data that they use without an order, as three indices.
using Unordered = std::set<std::tuple<unsigned, unsigned, unsigned>>;
} // namespace

/// Asks the region analysis, which is independent of how the order was found.
static Unordered findUnordered(const TaskOrder &order,
                               const TaskAccesses &accesses) {
  Unordered result;
  auto add = [&](const regions::TaskSystem &system,
                 const regions::RegionCheck &check, auto dataOf) {
    for (const regions::Meeting &meeting : check.met) {
      const regions::Task &first = system.graphs.front().tasks[meeting.first];
      uint32_t range = first.uses[meeting.firstUse].range;
      result.insert(
          {meeting.first, meeting.second, dataOf(system.ranges[range].object)});
    }
  };
  if (std::optional<CellSystem> cells = cellSystem(order, accesses)) {
    add(cells->system,
        regions::checkTasks(
            cells->system,
            [](const regions::Meeting &) { return regions::Answer::Meet; }),
        [&](uint32_t object) { return cells->data[object]; });
    return result;
  }
  PartSystem parts = partSystem(order, accesses);
  add(parts.system,
      regions::checkTasks(parts.system,
                          [&](const regions::Meeting &meeting) {
                            return parts.answer(meeting);
                          }),
      [](uint32_t object) { return object; });
  return result;
}

static bool checkRegions(const TaskOrder &order, const TaskAccesses &accesses) {
  Unordered pairs = findUnordered(order, accesses);
  for (auto [first, second, data] : pairs) {
    TaskOp before = order.tasks[first], after = order.tasks[second];
    mlir::InFlightDiagnostic diagnostic =
        mlir::emitError(after.getLoc())
        << "tasks '" << order.names[first] << "' and '" << order.names[second]
        << "' both use "
        << spellData(accesses.data[data].kind, accesses.data[data].name)
        << ", and neither waits for the other";
    diagnostic.attachNote(before.getLoc())
        << "'" << order.names[first] << "' is created here";
  }
  return pairs.empty();
}

bool sluice::checkTaskGraph(const TaskOrder &order, bool hasRemarks) {
  TaskAccesses accesses(order);
  bool isRead = ReadCheck(order, accesses, hasRemarks).run();
  if (hasRemarks)
    remarkOrder(order);
  return checkRegions(order, accesses) && isRead;
}
