//===- Leaf.h - Task functions of random region programs --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Test support. What the function of a task does, as data: which numbers it
// reads, and where it puts those that it makes of them (OracleNumbers.h). Tests
// run it in their own process, and programs that are built include this file:
// so nothing of a compiler is needed here.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_TESTING_LEAF_H
#define SLUICE_LIB_DRIVER_TESTING_LEAF_H

#include "OracleNumbers.h"
#include "sluice-c/Tasks.h"

#include <atomic>
#include <cstddef>
#include <utility>

namespace sluice::rdir::oracle {

/// One number that a point reads or changes.
struct LeafPlace {
  /// Which of the pointers that the function has, and the element behind it.
  uint32_t slot;
  int64_t index;
  /// How the oracle counts it.
  uint32_t place;
};

/// An edge of the task: 'r' reads, 'w' writes, '+' and 'm' reduce.
struct LeafEdge {
  char kind;
  uint32_t number;
  std::vector<std::vector<LeafPlace>> byPoint;
};

struct Leaf {
  /// `iterations`: how often each loop around the task runs its body, the
  /// outermost first.
  Leaf(Instance path, std::vector<int64_t> iterations, size_t numPoints,
       std::vector<LeafEdge> edges)
      : path(std::move(path)), iterations(std::move(iterations)),
        edges(std::move(edges)), turns(numPoints) {}

  Instance path;
  std::vector<int64_t> iterations;
  std::vector<LeafEdge> edges;
  /// By point: how often it ran.
  std::vector<std::atomic<int64_t>> turns;

  /// What the function does; `slots` are its pointers.
  void run(const SluiceTask &task, int64_t *const *slots) {
    int64_t point = 0;
    for (int32_t d = 0; d < task.rank; ++d)
      point = point * task.extent[d] + task.point[d];
    uint64_t digest = 1;
    for (const LeafEdge &edge : edges)
      if (edge.kind == 'r')
        for (const LeafPlace &from : edge.byPoint[point])
          digest = mix(digest, slots[from.slot][from.index]);
    Instance instance = instanceOf(task, turns[point]++);
    for (const LeafEdge &edge : edges)
      for (const LeafPlace &to : edge.byPoint[point]) {
        int64_t number = numberOf(instance, digest, to.place, edge.number);
        int64_t &value = slots[to.slot][to.index];
        if (edge.kind == 'w')
          value = number;
        else if (edge.kind != 'r')
          value = reducedNumber(value, edge.kind == 'm', number);
      }
  }

private:
  /// One point runs its turns one after another.
  Instance instanceOf(const SluiceTask &task, int64_t turn) const {
    Instance instance = path;
    instance.resize(path.size() + iterations.size());
    for (size_t i = iterations.size(); i-- > 0; turn /= iterations[i])
      instance[path.size() + i] = turn % iterations[i];
    instance.insert(instance.end(), task.point, task.point + task.rank);
    return instance;
  }
};

} // namespace sluice::rdir::oracle

#endif // SLUICE_LIB_DRIVER_TESTING_LEAF_H
