//===- CheckAssumptions.cpp - Assumptions of leaves about pointers --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the ranges that different instances of a node declared disjoint.
//
//===----------------------------------------------------------------------===//

#include "CheckAssumptions.h"

#include <algorithm>

using namespace sluice;

static bool areSame(const CheckInstance &a, const CheckInstance &b) {
  return a.execution == b.execution && a.index == b.index;
}

void CheckAssumptions::Side::add(CheckRange range,
                                 const CheckInstance &instance) {
  if (range.start >= range.end)
    return;
  auto [found, isNew] =
      ranges.try_emplace({range.start, range.end}, Speakers{instance, {}});
  if (!isNew && !found->second.second &&
      !areSame(found->second.first, instance))
    found->second.second = instance;
  longest = std::max(longest, range.end - range.start);
}

std::optional<CheckAssumptions::Violation>
CheckAssumptions::Side::find(CheckRange range,
                             const CheckInstance &instance) const {
  if (range.start >= range.end)
    return std::nullopt;
  uintptr_t from = range.start - std::min(range.start, longest);
  for (auto at = ranges.lower_bound({from, 0});
       at != ranges.end() && at->first.first < range.end; ++at) {
    const auto &[bounds, speakers] = *at;
    if (bounds.second <= range.start)
      continue;
    std::optional<CheckInstance> other = speakers.first;
    if (areSame(*other, instance))
      other = speakers.second;
    if (other)
      return Violation{*other,
                       {std::max(range.start, bounds.first),
                        std::min(range.end, bounds.second)}};
  }
  return std::nullopt;
}

std::optional<CheckAssumptions::Violation>
CheckAssumptions::add(const SluiceCheckSite &site, const SluiceCheckLeaf &leaf,
                      const CheckInstance &instance, CheckRange a,
                      CheckRange b) {
  auto &[first, second] = said[{&site, &leaf}];
  std::optional<Violation> violation = second.find(a, instance);
  if (!violation)
    violation = first.find(b, instance);
  first.add(a, instance);
  second.add(b, instance);
  return violation;
}
