//===- Programs.h - Task graphs as programs of RDIR -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The uses of tasks become arguments, and edges become pairs of a partial
// order. A task that is joined to another one by a pointwise edge becomes two,
// which stand for two instances:
//
//   fill ──1:1──▶ smooth         fill[0] ──▶ smooth[0]
//                                fill[1] ──▶ smooth[1]
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_ANALYSIS_REGIONS_PROGRAMS_H
#define SLUICE_LIB_ANALYSIS_REGIONS_PROGRAMS_H

#include "Forest.h"

namespace sluice::regions {

/// The task of a graph behind a task of the program.
struct Origin {
  static constexpr uint32_t none = UINT32_MAX;
  /// `none` for tasks that only carry order.
  uint32_t task = none;
  /// Which run of the graph.
  uint32_t run = 0;
  /// Which of two instances; -1: all of them.
  int point = -1;
};

/// One or several runs of a graph.
class OrderedProgram {
public:
  using RegionsOf =
      std::function<std::vector<rdir::RegionIndex>(uint32_t range)>;

  OrderedProgram(const TaskSystem &system, uint32_t graph,
                 const Forest &forest);

  /// Appends the graph; `regionsOf` says what a range is in this run.
  void addRun(const RegionsOf &regionsOf);
  /// A task without arguments, to join others by.
  uint32_t addJoin();
  void addOrder(uint32_t before, uint32_t after) {
    order.push_back({before, after});
  }
  /// Tasks of the program that stand for `task` in a run.
  std::vector<uint32_t> tasksOf(uint32_t run, uint32_t task) const;

  /// Tasks of the graph, in runs of it, that conflict without an order.
  struct Pair {
    uint32_t firstRun, first, secondRun, second;
    /// Equal instances are ordered.
    bool isPointwise;
    friend auto operator<=>(const Pair &, const Pair &) = default;
  };
  /// In the order of their tasks.
  std::vector<Pair> findUnordered() const;

  const rdir::Program &get() const { return program; }

private:
  std::vector<bool> reachedFrom(uint32_t task) const;
  void addTask(const Origin &origin, const RegionsOf &regionsOf);

  const TaskGraph &graph;
  rdir::Program program;
  std::vector<std::pair<uint32_t, uint32_t>> order;
  std::vector<Origin> origins;
  std::vector<bool> isSplit;
  std::vector<std::vector<uint32_t>> successors;
  /// By run and task: its first task in the program.
  std::vector<std::vector<uint32_t>> numbers;
};

} // namespace sluice::regions

#endif // SLUICE_LIB_ANALYSIS_REGIONS_PROGRAMS_H
