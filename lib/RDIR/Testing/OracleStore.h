//===- OracleStore.h - Tasks on one store, in every order -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Test support. A store has one value per element and field. Values are terms:
// the initial value, a value that a task wrote, or a value with contributions
// that tasks reduced into it. An order of the tasks is correct if each task
// reads the values that it expects.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_RDIR_TESTING_ORACLESTORE_H
#define SLUICE_LIB_RDIR_TESTING_ORACLESTORE_H

#include "sluice/RDIR/Graph.h"

#include <map>
#include <set>

namespace sluice::rdir::oracle {

using Value = uint32_t;
/// The value of a place before any task.
inline constexpr Value initialValue = 0;

/// Terms, numbered so that equal numbers mean equal terms.
class Values {
public:
  /// What `writer` writes.
  Value written(uint32_t writer);
  /// `base` with a contribution; contributions of one operator commute.
  Value reduced(Value base, ReductionIndex reduction, uint32_t contribution);

private:
  struct Term {
    Value base = initialValue;
    ReductionIndex reduction = noReduction;
    /// Writer, or contributions.
    std::multiset<uint32_t> ids;
    auto operator<=>(const Term &) const = default;
  };
  Value number(Term term);

  std::map<Term, Value> numbers;
  std::vector<Term> terms = {Term()};
};

using Store = std::vector<Value>;

/// A task's accesses to places of the store: first all reads, then the others.
struct Step {
  struct Access {
    uint32_t place;
    Value value;
  };
  struct Contribution {
    uint32_t place;
    ReductionIndex reduction;
    uint32_t id;
  };
  std::vector<Access> reads, writes;
  std::vector<Contribution> reductions;
};

/// All points of a launch, the last dimension fastest. Without a launch: one
/// point without dimensions.
std::vector<std::vector<int64_t>> pointsOf(std::span<const int64_t> extents);

/// Bit i: task i.
using TaskSet = uint64_t;

/// Up to 64 tasks, and the store on which they run.
struct Machine {
  Values values;
  size_t numPlaces = 0;
  std::vector<Step> steps;
  /// The final values that the places must have.
  std::vector<Step::Access> finals;

  bool isRight(const Step &step, const Store &store) const;
  void apply(const Step &step, Store &store);
  bool isFinal(const Store &store) const;
};

/// True if some order is correct in which each task comes after the tasks in
/// its set. Tries every subset of tasks, with every store it can leave, once.
bool existsRightOrder(Machine &machine, std::span<const TaskSet> before);

/// True if every such order is correct, final values included, and at least one
/// order exists.
bool allOrdersRight(Machine &machine, std::span<const TaskSet> before);

} // namespace sluice::rdir::oracle

#endif // SLUICE_LIB_RDIR_TESTING_ORACLESTORE_H
