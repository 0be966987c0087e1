//===- InstanceRows.cpp - Rows of places that instances use ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables are counted and numbers loaded in an order in which each load is
// guarded by all that the program tests before it. Rows of most programs ascend
// from instance to instance, which shows while they are visited. Others are
// sorted.
//
//===----------------------------------------------------------------------===//

#include "InstanceRows.h"

#include <algorithm>
#include <cstring>
#include <limits>

using namespace sluice;

InstanceRows::InstanceRows(const SluicePlanTable &table,
                           const std::vector<int64_t> &values,
                           const std::vector<LoadedMemory> &memories,
                           uint64_t mostNumbers)
    : table(table), values(values), memories(memories),
      firstSum(table.numLoads), parts(table.numLoads), left(mostNumbers) {
  order();
  for (uint32_t sum = 0; sum != table.numSums; ++sum)
    sums.push_back(factor(sum, 0));
}

/// Loads come as early as their places are known, but behind all ids: the
/// program may test any of these before it loads.
void InstanceRows::order() {
  std::vector<bool> known(1 + table.numVariables + table.numLoads);
  auto isKnown = [&](uint32_t sum) {
    for (uint32_t i = 1; i != known.size(); ++i)
      if (!known[i] && factor(sum, i) != 0)
        return false;
    return true;
  };
  std::vector<bool> isChecked(table.numSums);
  auto take = [&](std::vector<uint32_t> &checked) {
    for (uint32_t sum = firstSum + table.numEnds + 1; sum < table.numSums;
         ++sum)
      if (!isChecked[sum] && isKnown(sum)) {
        isChecked[sum] = true;
        checked.push_back(sum);
      }
  };
  take(constantSums);
  uint32_t variable = 0, load = 0;
  while (variable != table.numVariables || load != table.numLoads) {
    RowStep step;
    step.isLoad =
        load != table.numLoads && variable >= table.numIds && isKnown(load);
    if (!step.isLoad && variable == table.numVariables)
      break; // No compiler makes such a load.
    step.index = step.isLoad ? load++ : variable++;
    known[numberOf(step)] = true;
    take(step.checked);
    if (!step.isLoad)
      for (uint32_t sum : step.checked)
        if (!isNonZero(sum) && factor(sum, numberOf(step)) != 0)
          step.bounds.push_back(sum);
    for (uint32_t sum = 0; sum != table.numSums; ++sum)
      if (const int64_t by = factor(sum, numberOf(step)))
        step.factors.push_back({sum, by});
    steps.push_back(std::move(step));
  }
}

bool InstanceRows::areMet(const std::vector<uint32_t> &checked) const {
  return std::all_of(checked.begin(), checked.end(), [&](uint32_t sum) {
    return isNonZero(sum) ? sums[sum] != 0 : sums[sum] <= 0;
  });
}

void InstanceRows::visitWith(size_t step, Number value) {
  --left;
  for (const auto &[sum, by] : steps[step].factors)
    sums[sum] += by * value;
  if (areMet(steps[step].checked))
    visit(step + 1);
  for (const auto &[sum, by] : steps[step].factors)
    sums[sum] -= by * value;
}

/// The number in memory; false if there is none, so that no instance reads it.
static bool readEntry(const SluicePlanLoad &load, const LoadedMemory &memory,
                      __int128 place, __int128 &value) {
  if (!memory.start || place < 0 ||
      place + load.entryBytes > __int128(memory.size))
    return false;
  uint64_t bits = 0;
  std::memcpy(&bits, memory.start + int64_t(place), load.entryBytes);
  const unsigned unused = 64 - 8 * load.entryBytes;
  value = load.isUnsigned ? __int128(bits)
                          : __int128(int64_t(bits << unused) >> unused);
  return true;
}

void InstanceRows::visit(size_t step) {
  if (isStopped())
    return;
  if (step == steps.size())
    return add();
  const RowStep &current = steps[step];
  if (current.isLoad) {
    Number value = 0;
    const Number place = sums[current.index];
    const SluicePlanLoad &load = table.loads[current.index];
    if (!readEntry(load, memories[current.index], place, value))
      return;
    LoadedPart &part = parts[current.index];
    if (part.end == 0 || place < part.first)
      part.first = int64_t(place);
    part.end = std::max(part.end, int64_t(place) + load.entryBytes);
    visitWith(step, value);
    return;
  }
  Number least = 0, end = values[current.index];
  for (uint32_t sum : current.bounds) {
    const Number by = factor(sum, numberOf(current)), value = sums[sum];
    // value + by * x <= 0
    if (by > 0)
      end = std::min(end, value > 0 ? Number(0) : -value / by + 1);
    else if (value > 0)
      least = std::max(least, (value - by - 1) / -by);
  }
  const bool isId = current.index < table.numIds;
  const uint64_t outer = owner;
  for (Number value = least; value < end && !isStopped(); ++value) {
    if (isId)
      owner = outer * uint64_t(values[current.index]) + uint64_t(value);
    visitWith(step, value);
  }
  owner = outer;
}

void InstanceRows::add() {
  const Number first = sums[firstSum];
  Number end = sums[firstSum + 1];
  for (uint32_t i = 1; i < table.numEnds; ++i)
    end = std::min(end, sums[firstSum + 1 + i]);
  if (end < first)
    return;
  if (isKept) {
    auto fit = [](Number number) {
      return int64_t(std::clamp<Number>(number,
                                        std::numeric_limits<int64_t>::min(),
                                        std::numeric_limits<int64_t>::max()));
    };
    rows.push_back({fit(first), fit(end), owner});
    return;
  }
  isAscending = !hasLast || first > last;
  hasLast = true;
  last = end;
}

/// Owners are numbers of digits, one for each id.
std::vector<int64_t> InstanceRows::idsOf(uint64_t number) const {
  std::vector<int64_t> ids(table.numIds);
  for (uint32_t i = table.numIds; i-- > 0;) {
    const auto extent = uint64_t(values[i]);
    ids[i] = int64_t(number % extent);
    number /= extent;
  }
  return ids;
}

std::optional<RowOverlap> InstanceRows::findOverlap() {
  const auto extentsEnd = values.begin() + table.numVariables;
  if (!areMet(constantSums) ||
      std::any_of(values.begin(), extentsEnd,
                  [](int64_t extent) { return extent <= 0; }))
    return std::nullopt;
  visit(0);
  if (isAscending || left == 0)
    return std::nullopt;
  isKept = true;
  visit(0);
  if (left == 0)
    return std::nullopt;
  std::sort(rows.begin(), rows.end(),
            [](const InstanceRow &a, const InstanceRow &b) {
              return a.first < b.first;
            });
  // Of the rows so far, the one that goes furthest, and the one that does among
  // those of other instances.
  std::optional<InstanceRow> most, other;
  for (const InstanceRow &row : rows) {
    const std::optional<InstanceRow> &before =
        most && most->owner != row.owner ? most : other;
    if (before && before->last >= row.first)
      return RowOverlap{idsOf(before->owner), idsOf(row.owner), row.first};
    if (!most || row.last > most->last) {
      if (most && most->owner != row.owner)
        other = most;
      most = row;
    } else if (most->owner != row.owner && (!other || row.last > other->last)) {
      other = row;
    }
  }
  return std::nullopt;
}
