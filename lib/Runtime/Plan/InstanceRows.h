//===- InstanceRows.h - Rows of places that instances use -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loaded numbers say which row of an array an instance uses. Instances meet if
// their rows overlap.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_PLAN_INSTANCEROWS_H
#define SLUICE_RUNTIME_PLAN_INSTANCEROWS_H

#include "sluice-c/Plan.h"

#include <optional>
#include <utility>
#include <vector>

namespace sluice {

/// Consecutive numbers.
struct InstanceRow {
  int64_t first = 0, last = 0;
  /// The instance, as the number that its ids make.
  uint64_t owner = 0;
};

/// Two instances that use the same number.
struct RowOverlap {
  std::vector<int64_t> firstIds, secondIds;
  int64_t number = 0;
};

/// Memory that a load reads.
struct LoadedMemory {
  const unsigned char *start = nullptr;
  uint64_t size = 0;
};

/// The bytes of it from the first that is read to the last.
struct LoadedPart {
  int64_t first = 0, end = 0;
};

/// The rows of one launch.
class InstanceRows {
public:
  /// `values`: of all formulas of `table`; `memories`: of each of its loads.
  /// After `mostNumbers` that it counts or loads, it gives up.
  InstanceRows(const SluicePlanTable &table, const std::vector<int64_t> &values,
               const std::vector<LoadedMemory> &memories,
               uint64_t mostNumbers = UINT64_MAX);

  /// None if it has given up.
  std::optional<RowOverlap> findOverlap();
  /// How many more numbers it would take.
  uint64_t numLeft() const { return left; }
  /// What that has read, of each load.
  const std::vector<LoadedPart> &loadedParts() const { return parts; }

private:
  using Number = __int128;
  /// Counts a variable, or loads a number.
  struct RowStep {
    bool isLoad = false;
    uint32_t index = 0;
    /// Limits of the variable, and sums that are known behind it.
    std::vector<uint32_t> bounds = {}, checked = {};
    /// The sums that contain it, with its factors.
    std::vector<std::pair<uint32_t, int64_t>> factors = {};
  };

  /// The formula of a sum: 0 for the one alone, then those of variables and
  /// loads.
  int64_t factor(uint32_t sum, uint32_t number) const {
    return values[table.numVariables +
                  sum * (1 + table.numVariables + table.numLoads) + number];
  }
  uint32_t numberOf(const RowStep &step) const {
    return 1 + step.index + (step.isLoad ? table.numVariables : 0);
  }
  bool isNonZero(uint32_t sum) const {
    return sum > firstSum + table.numEnds &&
           sum <= firstSum + table.numEnds + table.numNonZeros;
  }
  void order();
  bool isStopped() const { return left == 0 || (!isAscending && !isKept); }
  void visit(size_t step);
  void visitWith(size_t step, Number value);
  void add();
  bool areMet(const std::vector<uint32_t> &checked) const;
  std::vector<int64_t> idsOf(uint64_t owner) const;

  const SluicePlanTable &table;
  const std::vector<int64_t> &values;
  const std::vector<LoadedMemory> &memories;
  /// Behind the places of loads.
  const uint32_t firstSum;
  std::vector<RowStep> steps;
  std::vector<uint32_t> constantSums;
  /// All sums, with the values of the steps so far.
  std::vector<Number> sums;
  std::vector<LoadedPart> parts;
  uint64_t left, owner = 0;
  std::vector<InstanceRow> rows;
  /// While rows only ascend, none is kept.
  bool isAscending = true, isKept = false;
  Number last = 0;
  bool hasLast = false;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_PLAN_INSTANCEROWS_H
