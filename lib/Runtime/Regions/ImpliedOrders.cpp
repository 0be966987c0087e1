//===- ImpliedOrders.cpp - Dropping orders that others imply --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes the transitive reduction of a table. Afterwards a task checks few
// predecessors, however many tasks accessed its elements.
//
//===----------------------------------------------------------------------===//

#include "Dependences.h"

using namespace sluice;
using namespace sluice::regions;

namespace {
/// Searches backwards from one task after another. A step backwards stays in
/// the same execution of a block, or goes to the previous execution of the
/// task's own block, or from there or from the start to the latest execution of
/// another block. In each of these places a task is reached only if its latest
/// run is.
class Reducer {
public:
  explicit Reducer(TaskTable &table)
      : table(table), current(table.tasks.size(), none),
        previous(table.tasks.size(), none), lowest(table.numBlocks(), none) {}

  void run() {
    keep.resize(table.predecessors.size(), true);
    for (uint32_t task = 0; task < table.tasks.size(); ++task)
      if (table.tasks[task].numPredecessors > 1)
        reduce(task);
    compact();
  }

private:
  static constexpr uint32_t none = UINT32_MAX;
  /// Limit on the steps of one search; beyond it, unnecessary orders may be
  /// kept.
  static constexpr unsigned maxVisits = 1 << 14;
  struct Place {
    uint32_t task;
    bool isPrevious; ///< the previous execution of the searching task's block
  };

  void reduce(uint32_t task);
  void visit(uint32_t task, const Place &from);
  void reach(uint32_t task, const TablePredecessor &before, bool isPrevious);
  void compact();

  TaskTable &table;
  std::vector<bool> keep;
  /// The last search that reached each task, in its latest execution before the
  /// searching task, and in the previous execution of that task's block.
  std::vector<uint32_t> current, previous;
  /// For each block, the first task that is worth reaching.
  std::vector<uint32_t> lowest;
  uint32_t lowestPrevious = none;
  /// The searching task waits for tasks outside of its own execution.
  bool leadsElsewhere = false;
  std::vector<Place> open;
};
} // namespace

void Reducer::reduce(uint32_t task) {
  const auto before = table.predecessorsOf(task);
  const uint32_t own = table.tasks[task].block;
  lowestPrevious = none;
  for (const TablePredecessor &p : before)
    (p.isPrevious ? lowestPrevious : lowest[p.block]) = none;
  for (const TablePredecessor &p : before) {
    uint32_t &low = p.isPrevious ? lowestPrevious : lowest[p.block];
    low = std::min(low, p.task);
  }
  open.clear();
  leadsElsewhere = false;
  for (const TablePredecessor &p : before) {
    open.push_back({p.task, static_cast<bool>(p.isPrevious)});
    leadsElsewhere |= p.isPrevious || p.block != own;
  }
  for (unsigned visits = 0; !open.empty() && visits < maxVisits; ++visits) {
    Place place = open.back();
    open.pop_back();
    visit(task, place);
  }
  for (size_t i = 0; i < before.size(); ++i) {
    const std::vector<uint32_t> &reached =
        before[i].isPrevious ? previous : current;
    if (reached[before[i].task] == task)
      keep[table.tasks[task].firstPredecessor + i] = false;
  }
  lowest[own] = none;
  for (const TablePredecessor &p : before)
    lowest[p.block] = none;
}

/// Reaches the predecessors of a reached task.
void Reducer::visit(uint32_t task, const Place &from) {
  const uint32_t own = table.tasks[task].block;
  const uint32_t block = table.tasks[from.task].block;
  for (const TablePredecessor &p : table.predecessorsOf(from.task)) {
    if (block == own && !from.isPrevious) {
      // Tasks after the searching one, in the previous execution; tasks in
      // other blocks have no execution in between.
      if (!p.isPrevious)
        reach(task, p, false);
      else if (p.task >= task)
        reach(task, p, true);
    } else if (p.block == block && !p.isPrevious) {
      // Within one execution of another block, or of the own block's previous
      // one.
      if (!from.isPrevious || p.task >= task)
        reach(task, p, from.isPrevious);
    }
  }
}

void Reducer::reach(uint32_t task, const TablePredecessor &before,
                    bool isPrevious) {
  uint32_t low = isPrevious ? lowestPrevious : lowest[before.block];
  if (low == none || before.task < low) {
    // Earlier tasks in that block do not matter, but tasks of the own block may
    // lead elsewhere.
    if (isPrevious || !leadsElsewhere ||
        before.block != table.tasks[task].block)
      return;
  }
  std::vector<uint32_t> &reached = isPrevious ? previous : current;
  if (reached[before.task] == task)
    return;
  reached[before.task] = task;
  open.push_back({before.task, isPrevious});
}

void Reducer::compact() {
  size_t size = 0;
  for (TableTask &task : table.tasks) {
    uint32_t first = size;
    for (uint32_t i = 0; i < task.numPredecessors; ++i)
      if (keep[task.firstPredecessor + i])
        table.predecessors[size++] =
            table.predecessors[task.firstPredecessor + i];
    task.firstPredecessor = first;
    task.numPredecessors = size - first;
  }
  table.predecessors.resize(size);
}

void sluice::regions::dropImpliedOrders(TaskTable &table) {
  Reducer(table).run();
}
