//===- TaskOrder.cpp - The order of tasks ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Visits tasks in creation order. For each part of each dataset, keeps the last
// writer and the readers since then. A write ends the history of the parts that
// it contains, so the histories, and with them the edges, stay short.
//
//===----------------------------------------------------------------------===//

#include "Reduction.h"
#include "TaskAccesses.h"

#include "sluice/Analysis/TaskOrder.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace sluice;
using namespace sluice::dfg;
using Reason = TaskEdge::Reason;

namespace {
constexpr unsigned noTask = ~0u;

/// The tasks that later users of a part must wait for.
struct DataHistory {
  unsigned writer = noTask;
  std::vector<unsigned> readers;
  /// Parts that were written after all of the readers. So the readers come
  /// before every use of those parts and before everything that reads this one.
  llvm::SmallDenseSet<unsigned, 2> writtenSince;

  void read(unsigned task) {
    if (!writtenSince.empty()) {
      readers.clear();
      writtenSince.clear();
    }
    if (readers.empty() || readers.back() != task)
      readers.push_back(task);
  }
};

class Orderer {
public:
  Orderer(TaskGraphOp graph, TaskOrder &order)
      : graph(graph), order(order), accesses(order),
        known(order.tasks.size(), noTask) {}

  void run();

private:
  void addEdge(unsigned before, Reason reason, const std::string &data);
  void addStated(size_t begin);
  void use(const TaskAccess &access);
  void addReaders(const TaskAccess &access, DataHistory &history);
  void write(const TaskAccess &access);
  Reason reasonFor(const TaskAccess &access, Reason reason) const {
    switch (accesses.data[access.data].kind) {
    case TaskData::Kind::Value:
      return reason;
    case TaskData::Kind::File:
      return Reason::File;
    case TaskData::Kind::State:
      return Reason::State;
    }
    llvm_unreachable("unknown kind");
  }

  TaskGraphOp graph;
  TaskOrder &order;
  TaskAccesses accesses;
  /// By data: by part.
  std::vector<std::vector<DataHistory>> histories;
  std::vector<std::vector<std::vector<unsigned>>> overlaps;
  llvm::DenseMap<mlir::Value, unsigned> ends;
  /// The current task. By task: the last task with an edge from it.
  unsigned task = 0;
  std::vector<unsigned> known;
};
} // namespace

void Orderer::addEdge(unsigned before, Reason reason, const std::string &data) {
  if (before == task || before == noTask || known[before] == task)
    return;
  known[before] = task;
  order.edges.push_back({before, task, reason, data, false});
}

/// Edges of the task start at `begin`.
void Orderer::addStated(size_t begin) {
  llvm::SmallDenseSet<unsigned, 4> stated;
  for (mlir::Value before : order.tasks[task].getDependencies()) {
    addEdge(ends.lookup(before), Reason::Stated, "");
    stated.insert(ends.lookup(before));
  }
  for (size_t i = begin; i != order.edges.size(); ++i)
    order.edges[i].isStated = stated.contains(order.edges[i].before);
  ends[order.tasks[task].getEnd()] = task;
}

/// A write waits for readers, unless a write of the same part already did.
void Orderer::addReaders(const TaskAccess &access, DataHistory &history) {
  if (!history.writtenSince.insert(access.part).second)
    return;
  for (unsigned reader : history.readers)
    addEdge(reader, reasonFor(access, Reason::WriteAfterRead),
            accesses.data[access.data].name);
}

void Orderer::use(const TaskAccess &access) {
  const std::string &name = accesses.data[access.data].name;
  Reason reason =
      reads(access.mode) ? Reason::ReadAfterWrite : Reason::WriteAfterWrite;
  for (unsigned part : overlaps[access.data][access.part]) {
    DataHistory &history = histories[access.data][part];
    addEdge(history.writer, reasonFor(access, reason), name);
    if (writes(access.mode))
      addReaders(access, history);
  }
  if (writes(access.mode))
    write(access);
  else
    histories[access.data][access.part].read(task);
}

void Orderer::write(const TaskAccess &access) {
  const std::vector<Part> &parts = accesses.data[access.data].parts;
  for (unsigned part : overlaps[access.data][access.part])
    if (contains(parts[access.part], parts[part]))
      histories[access.data][part] = DataHistory();
  histories[access.data][access.part].writer = task;
}

void Orderer::run() {
  for (const TaskData &data : accesses.data) {
    overlaps.push_back(findOverlaps(data.parts));
    histories.emplace_back(data.parts.size());
  }
  order.predecessors.resize(order.tasks.size());
  for (task = 0; task != order.tasks.size(); ++task) {
    size_t begin = order.edges.size();
    for (const TaskAccess &access : accesses.byTask[task])
      use(access);
    addStated(begin);
    if (task && graph.getSerial())
      addEdge(task - 1, Reason::Serial, "");
    std::sort(order.edges.begin() + begin, order.edges.end(),
              [](const TaskEdge &a, const TaskEdge &b) {
                return a.before < b.before;
              });
    for (size_t i = begin; i != order.edges.size(); ++i)
      order.predecessors[task].push_back(order.edges[i].before);
  }
  reduceTransitively(order.predecessors);
}

/// Given names stay unchanged; the others are numbered so that they differ from
/// them.
static std::vector<std::string> uniqueNames(llvm::ArrayRef<TaskOp> tasks) {
  llvm::StringSet<> used;
  for (TaskOp task : tasks)
    if (task.getTaskName())
      used.insert(*task.getTaskName());
  llvm::StringMap<unsigned> numbers;
  std::vector<std::string> names;
  for (TaskOp task : tasks) {
    std::string name = task.getDisplayName();
    if (!task.getTaskName()) {
      std::string base = name;
      unsigned &number = numbers[base];
      do
        name = ++number == 1 ? base : base + "#" + std::to_string(number);
      while (!used.insert(name).second);
    }
    names.push_back(name);
  }
  return names;
}

/// Python runs one task at a time, in creation order: modules, the interpreter
/// and the output are like data that the tasks share.
static void addPython(TaskOrder &order) {
  order.states.resize(order.tasks.size());
  for (auto [index, known] : llvm::enumerate(order.tasks)) {
    TaskOp task = known;
    if (task->hasAttr("independent"))
      order.states[index].clear();
    else if (task.getKind() == TaskKind::Python ||
             task.getKind() == TaskKind::Fem)
      order.states[index].push_back({pythonState, Access::InOut});
  }
}

TaskOrder sluice::inferTaskOrder(TaskGraphOp graph, TaskStates states) {
  TaskOrder order;
  llvm::append_range(order.tasks, graph.getBody().getOps<TaskOp>());
  order.states = std::move(states);
  addPython(order);
  order.names = uniqueNames(order.tasks);
  Orderer(graph, order).run();
  return order;
}
