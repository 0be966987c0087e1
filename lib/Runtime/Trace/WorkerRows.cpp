//===- WorkerRows.cpp - Sharing rows of a timeline among workers ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WorkerRows.h"

#include "sluice/Base/Text.h"

#include <algorithm>
#include <iterator>

using namespace sluice;

/// Whether an interval of one begins within an interval of the other. Both are
/// sorted by start time.
static bool overlaps(const WorkTimes &one, const WorkTimes &other) {
  auto a = one.begin(), b = other.begin();
  uint64_t endOfOne = 0, endOfOther = 0;
  while (a != one.end() || b != other.end()) {
    const bool takesOne =
        b == other.end() || (a != one.end() && a->first < b->first);
    const auto [start, end] = takesOne ? *a++ : *b++;
    if (start < (takesOne ? endOfOther : endOfOne))
      return true;
    uint64_t &last = takesOne ? endOfOne : endOfOther;
    last = std::max(last, end);
  }
  return false;
}

std::vector<WorkerRow>
sluice::workerRows(const std::vector<std::vector<WorkTimes>> &sets) {
  std::vector<WorkerRow> shared, apart;
  std::vector<WorkTimes> taken; // by the shared rows
  for (uint32_t s = 0; s < sets.size(); ++s)
    for (uint32_t w = 0; w < sets[s].size(); ++w) {
      WorkTimes times = sets[s][w];
      std::sort(times.begin(), times.end());
      if (w == shared.size()) {
        shared.push_back(
            {w ? concat("worker ", w) : std::string("host (worker 0)"),
             {{s, w}}});
        taken.push_back(std::move(times));
        continue;
      }
      if (overlaps(taken[w], times)) {
        apart.push_back(
            {concat("worker ", w, " of ", sets[s].size()), {{s, w}}});
        continue;
      }
      shared[w].workers.push_back({s, w});
      WorkTimes all;
      std::merge(taken[w].begin(), taken[w].end(), times.begin(), times.end(),
                 std::back_inserter(all));
      taken[w] = std::move(all);
    }
  std::move(apart.begin(), apart.end(), std::back_inserter(shared));
  return shared;
}
