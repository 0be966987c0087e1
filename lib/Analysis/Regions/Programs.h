//===- Programs.h - Task graphs as programs of RDIR -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The uses of tasks become arguments, and edges become pairs of a partial
// order. A task with a pointwise edge becomes two tasks, which represent two
// instances:
//
//   fill ──1:1──▶ smooth         fill[0] ──▶ smooth[0]
//                                fill[1] ──▶ smooth[1]
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_ANALYSIS_REGIONS_PROGRAMS_H
#define SLUICE_LIB_ANALYSIS_REGIONS_PROGRAMS_H

#include "Forest.h"

namespace sluice::regions {

/// The task of a graph that a task of the program represents.
struct Origin {
  static constexpr uint32_t none = UINT32_MAX;
  /// `none` for tasks that only carry order.
  uint32_t task = none;
  /// The run of the graph.
  uint32_t run = 0;
  /// One of two instances; -1 means all of them.
  int point = -1;
};

/// One or several runs of a graph.
class OrderedProgram {
public:
  using RegionsOf =
      std::function<std::vector<rdir::RegionIndex>(uint32_t range)>;

  OrderedProgram(const TaskSystem &system, uint32_t graph,
                 const Forest &forest);

  /// Appends the graph; `regionsOf` gives the regions of a range in this run.
  void addRun(const RegionsOf &regionsOf);
  /// Adds a task without arguments that joins others.
  uint32_t addJoin();
  void addOrder(uint32_t before, uint32_t after) {
    order.push_back({before, after});
  }
  /// Tasks of the program that represent `task` in a run.
  std::vector<uint32_t> tasksOf(uint32_t run, uint32_t task) const;

  /// Tasks of the graph, in its runs, that conflict without an order.
  struct Pair {
    uint32_t firstRun, first, secondRun, second;
    /// Equal instances are ordered.
    bool isPointwise;
    friend auto operator<=>(const Pair &, const Pair &) = default;
  };
  /// In the order of their tasks.
  std::vector<Pair> findUnordered() const;

  const rdir::SequentialProgram &get() const { return program; }

private:
  std::vector<bool> reachedFrom(uint32_t task) const;
  void addTask(const Origin &origin, const RegionsOf &regionsOf);

  const TaskGraph &graph;
  rdir::SequentialProgram program;
  std::vector<std::pair<uint32_t, uint32_t>> order;
  std::vector<Origin> origins;
  std::vector<bool> isSplit;
  std::vector<std::vector<uint32_t>> successors;
  /// By run and task: its first task in the program.
  std::vector<std::vector<uint32_t>> numbers;
};

} // namespace sluice::regions

#endif // SLUICE_LIB_ANALYSIS_REGIONS_PROGRAMS_H
