//===- FormLists.cpp - Finding loops in lists of offsets ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Applications describe regular layouts by lists: indexed types with
// displacements on a grid, structs that repeat a pattern. A loop is shorter
// than its list and packs faster, so lists are searched for loops: from the
// inside by equal distances, from the outside by the list's period.
//
//===----------------------------------------------------------------------===//

#include "FormBuilding.h"

#include <numeric>

using namespace sluice::pack;

/// The largest group size such that the list consists of groups with equal
/// distances inside each: the greatest common divisor of the positions at which
/// the first distance does not hold, and of the length.
static size_t sizeOfGroups(const std::vector<int64_t> &offsets) {
  size_t group = offsets.size();
  int64_t distance = wrappedDistance(offsets[0], offsets[1]);
  for (size_t i = 2; i != offsets.size() && group > 1; ++i)
    if (wrappedDistance(offsets[i - 1], offsets[i]) != distance)
      group = std::gcd(group, i);
  return group;
}

PlacedForm sluice::pack::simplifyPlaces(FormRef child,
                                        std::vector<int64_t> offsets) {
  int64_t first = offsets.front();
  while (offsets.size() > 1) {
    size_t group = sizeOfGroups(offsets);
    if (group == 1)
      break;
    child = repeat({0, std::move(child)}, int64_t(group),
                   checkedSubtract(offsets[1], offsets[0]))
                .form;
    size_t groups = offsets.size() / group;
    for (size_t i = 0; i != groups; ++i)
      offsets[i] = offsets[i * group];
    offsets.resize(groups);
  }
  if (offsets.size() == 1)
    return {first, std::move(child)};

  size_t count = offsets.size();
  size_t period = periodOf(count, [&](size_t i, size_t j) {
    return wrappedDistance(offsets[i - 1], offsets[i]) ==
           wrappedDistance(offsets[j - 1], offsets[j]);
  });
  if (period != count) {
    int64_t stride = checkedSubtract(offsets[period], offsets[0]);
    offsets.resize(period);
    return repeat(simplifyPlaces(std::move(child), std::move(offsets)),
                  int64_t(count / period), stride);
  }
  for (int64_t &offset : offsets)
    offset = checkedSubtract(offset, first);
  return {first, makeIndexed(std::move(offsets), std::move(child))};
}

/// Joins adjacent runs and drops empty ones.
static void joinRuns(std::vector<ByteRun> &runs) {
  size_t last = 0, kept = 0;
  for (const ByteRun &run : runs) {
    if (run.length == 0)
      continue;
    if (kept != 0 &&
        checkedAdd(runs[last].offset, runs[last].length) == run.offset) {
      runs[last].length = checkedAdd(runs[last].length, run.length);
      continue;
    }
    last = kept++;
    runs[last] = run;
  }
  runs.resize(kept);
}

static bool haveEqualLengths(const std::vector<ByteRun> &runs) {
  for (const ByteRun &run : runs)
    if (run.length != runs.front().length)
      return false;
  return true;
}

PlacedForm sluice::pack::simplifyRuns(std::vector<ByteRun> runs) {
  joinRuns(runs);
  if (runs.empty())
    return {0, emptyForm()};
  int64_t first = runs.front().offset;
  if (runs.size() == 1)
    return {first, blockForm(runs.front().length)};
  if (haveEqualLengths(runs)) {
    std::vector<int64_t> offsets(runs.size());
    for (size_t i = 0; i != runs.size(); ++i)
      offsets[i] = runs[i].offset;
    return simplifyPlaces(blockForm(runs.front().length), std::move(offsets));
  }

  size_t count = runs.size();
  size_t period = periodOf(count, [&](size_t i, size_t j) {
    return runs[i].length == runs[j].length &&
           runs[i - 1].length == runs[j - 1].length &&
           wrappedDistance(runs[i - 1].offset, runs[i].offset) ==
               wrappedDistance(runs[j - 1].offset, runs[j].offset);
  });
  if (period != count) {
    int64_t stride = checkedSubtract(runs[period].offset, first);
    runs.resize(period);
    return repeat(simplifyRuns(std::move(runs)), int64_t(count / period),
                  stride);
  }
  for (ByteRun &run : runs)
    run.offset = checkedSubtract(run.offset, first);
  return {first, makeRuns(runs)};
}
