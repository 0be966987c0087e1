//===- Leaf.h - Task functions of random region programs --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Test support. The behaviour of a task's function as data: the numbers that it
// reads, and where it stores the numbers that it computes from them
// (OracleNumbers.h). Tests run it in their own process, and generated programs
// include this file, so it needs nothing of a compiler.
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
  /// The number of the function's pointer, and the element behind it.
  uint32_t slot;
  int64_t index;
  /// The oracle's number for it.
  uint32_t place;
};

/// An edge of the task: 'r' reads, 'w' writes, '+' and 'm' reduce.
struct LeafEdge {
  char kind;
  uint32_t number;
  std::vector<std::vector<LeafPlace>> byPoint;
};

struct Leaf {
  /// `iterations`: the trip count of each loop around the task, the outermost
  /// first.
  Leaf(Instance path, std::vector<int64_t> iterations, size_t numPoints,
       std::vector<LeafEdge> edges)
      : path(std::move(path)), iterations(std::move(iterations)),
        edges(std::move(edges)), turns(numPoints) {}

  Instance path;
  std::vector<int64_t> iterations;
  std::vector<LeafEdge> edges;
  /// By point: the number of times it ran.
  std::vector<std::atomic<int64_t>> turns;

  /// Runs the function; `slots` are its pointers.
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
  /// A point runs its turns one after another.
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
