//===- OracleStore.cpp - Tasks on one store, in every order ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A state is the set of tasks that ran and the store they left. Each state is
// visited once.
//
//===----------------------------------------------------------------------===//

#include "OracleStore.h"

#include <algorithm>

using namespace sluice::rdir;
using namespace sluice::rdir::oracle;

Value Values::number(Term term) {
  auto [it, isNew] = numbers.try_emplace(std::move(term), terms.size());
  if (isNew)
    terms.push_back(it->first);
  return it->second;
}

Value Values::written(uint32_t writer) {
  Term term;
  term.ids = {writer};
  return number(std::move(term));
}

Value Values::reduced(Value base, ReductionIndex reduction,
                      uint32_t contribution) {
  Term term;
  term.base = base;
  term.reduction = reduction;
  if (terms[base].reduction == reduction)
    term = terms[base];
  term.ids.insert(contribution);
  return number(std::move(term));
}

std::vector<std::vector<int64_t>>
sluice::rdir::oracle::pointsOf(std::span<const int64_t> extents) {
  std::vector<std::vector<int64_t>> points = {{}};
  for (int64_t extent : extents) {
    std::vector<std::vector<int64_t>> longer;
    for (const auto &point : points)
      for (int64_t i = 0; i < extent; ++i) {
        longer.push_back(point);
        longer.back().push_back(i);
      }
    points = std::move(longer);
  }
  return points;
}

bool Machine::isRight(const Step &step, const Store &store) const {
  return std::all_of(step.reads.begin(), step.reads.end(),
                     [&](const Step::Access &read) {
                       return store[read.place] == read.value;
                     });
}

void Machine::apply(const Step &step, Store &store) {
  for (const Step::Access &write : step.writes)
    store[write.place] = write.value;
  for (const auto &[place, reduction, id] : step.reductions)
    store[place] = values.reduced(store[place], reduction, id);
}

bool Machine::isFinal(const Store &store) const {
  return std::all_of(finals.begin(), finals.end(),
                     [&](const Step::Access &final) {
                       return store[final.place] == final.value;
                     });
}

namespace {

class Search {
public:
  Search(Machine &machine, std::span<const TaskSet> before, bool wantsAll)
      : machine(machine), before(before), wantsAll(wantsAll) {}

  /// Whether some, or all, orders that continue from here are correct.
  bool visit(TaskSet done, const Store &store);

private:
  Machine &machine;
  std::span<const TaskSet> before;
  bool wantsAll;
  std::set<std::pair<TaskSet, Store>> visited;
};

} // namespace

bool Search::visit(TaskSet done, const Store &store) {
  size_t numTasks = machine.steps.size();
  bool isComplete = true, isStuck = true;
  for (size_t task = 0; task < numTasks; ++task) {
    TaskSet bit = TaskSet(1) << task;
    if (done & bit)
      continue;
    isComplete = false;
    if (before[task] & ~done)
      continue;
    isStuck = false;
    if (!machine.isRight(machine.steps[task], store)) {
      if (wantsAll)
        return false;
      continue;
    }
    Store next = store;
    machine.apply(machine.steps[task], next);
    if (!visited.insert({done | bit, next}).second)
      continue;
    if (visit(done | bit, next) != wantsAll)
      return !wantsAll;
  }
  if (isComplete)
    return !wantsAll || machine.isFinal(store);
  return wantsAll && !isStuck;
}

bool oracle::existsRightOrder(Machine &machine,
                              std::span<const TaskSet> before) {
  return Search(machine, before, /*wantsAll=*/false)
      .visit(0, Store(machine.numPlaces, initialValue));
}

bool oracle::allOrdersRight(Machine &machine, std::span<const TaskSet> before) {
  return Search(machine, before, /*wantsAll=*/true)
      .visit(0, Store(machine.numPlaces, initialValue));
}
