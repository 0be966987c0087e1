//===- Check.cpp - What is wrong with the order of tasks ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "System.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace sluice;
using namespace sluice::dfg;

namespace {
/// Explicit reads of what nothing has written.
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
  /// (data, part) that are known to be, and those that were.
  llvm::DenseSet<std::pair<unsigned, unsigned>> known, fine;
  bool isFine = true;
};
} // namespace

/// True if the thing has a value before the first task, or is none of ours.
static bool isInitialized(mlir::Operation *op) {
  if (auto dataset = mlir::dyn_cast_or_null<DatasetOp>(op))
    return dataset.getInitial().has_value();
  if (auto scalar = mlir::dyn_cast_or_null<ScalarOp>(op))
    return scalar.getValue().has_value();
  return !op;
}

/// The first task after `task` that writes what it reads, if there is one.
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
  mlir::InFlightDiagnostic diagnostic = mlir::emitError(op.getLoc())
                                        << "task '" << order.names[task]
                                        << "' reads '" << data.name << "'";
  if (access.argument.getPassBy() == PassBy::Value)
    diagnostic << " by value";
  diagnostic << (access.argument.isPart() ? ", of which no element in the part"
                                          : ", which")
             << " has a value yet: no task before it writes there, and it has "
                "no initial value";
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

/// Edges that only the order of creation asks for, and no other edge implies.
static void remarkOrder(const TaskOrder &order) {
  for (const TaskEdge &edge : order.edges) {
    if (edge.data.empty() ||
        !llvm::is_contained(order.predecessors[edge.after], edge.before))
      continue;
    TaskOp task = order.tasks[edge.after], other = order.tasks[edge.before];
    mlir::InFlightDiagnostic diagnostic =
        mlir::emitRemark(task.getLoc())
        << "'" << order.names[edge.after] << "' waits for '"
        << order.names[edge.before] << "', because both use "
        << (edge.reason == TaskEdge::Reason::File ? "the file '" : "'")
        << edge.data << "' and '" << order.names[edge.before]
        << "' is created before it";
    diagnostic.attachNote(other.getLoc())
        << "'" << order.names[edge.before] << "' is created here";
  }
}

/// Pairs that the region analysis finds without an order.
static bool checkRegions(const TaskOrder &order, const TaskAccesses &accesses) {
  PartSystem parts = partSystem(order, accesses);
  regions::RegionCheck check =
      regions::checkTasks(parts.system, [&](const regions::Meeting &meeting) {
        return parts.answer(meeting);
      });
  for (const regions::Meeting &meeting : check.met) {
    const regions::Use &use =
        parts.system.graphs.front().tasks[meeting.first].uses[meeting.firstUse];
    TaskOp first = order.tasks[meeting.first];
    TaskOp second = order.tasks[meeting.second];
    mlir::InFlightDiagnostic diagnostic =
        mlir::emitError(second.getLoc())
        << "tasks '" << order.names[meeting.first] << "' and '"
        << order.names[meeting.second] << "' both use '"
        << accesses.data[parts.system.ranges[use.range].object].name
        << "', and neither waits for the other";
    diagnostic.attachNote(first.getLoc())
        << "'" << order.names[meeting.first] << "' is created here";
  }
  return check.met.empty() && check.unknown.empty();
}

bool sluice::checkTaskGraph(const TaskOrder &order, bool hasRemarks) {
  TaskAccesses accesses(order.tasks);
  bool isRead = ReadCheck(order, accesses, hasRemarks).run();
  if (hasRemarks)
    remarkOrder(order);
  return checkRegions(order, accesses) && isRead;
}
