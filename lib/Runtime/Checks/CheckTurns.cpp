//===- CheckTurns.cpp - Mutual exclusion of checked instances -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tracks which locks an instance holds, and for which memory leaves vouch.
//
//===----------------------------------------------------------------------===//

#include "CheckTurns.h"

#include <algorithm>

using namespace sluice;

void CheckLocks::renumber() {
  if (held.empty()) {
    current = 0;
    return;
  }
  auto [found, isNew] =
      numbers.try_emplace(held, static_cast<uint32_t>(sets.size()));
  if (isNew)
    sets.push_back(held);
  current = found->second;
}

void CheckLocks::note(const CheckInstance &instance, uintptr_t lock,
                      uint32_t turn) {
  if (!isOwner(instance)) {
    clear();
    owner = instance;
  }
  auto place = std::lower_bound(held.begin(), held.end(), lock);
  switch (turn) {
  case SLUICE_CHECK_LOCKED:
    held.insert(place, lock);
    break;
  case SLUICE_CHECK_UNLOCKED:
    if (place != held.end() && *place == lock)
      held.erase(place);
    break;
  case SLUICE_CHECK_INITIALIZES:
    ++numInitializing;
    break;
  case SLUICE_CHECK_INITIALIZED:
    numInitializing -= numInitializing != 0;
    break;
  default: // Another instance initialises or has initialised it.
    break;
  }
  renumber();
}

bool CheckLocks::haveCommon(uint32_t a, uint32_t b) const {
  if (!a || !b)
    return false;
  return a == b ||
         std::any_of(sets[a].begin(), sets[a].end(), [&](uintptr_t lock) {
           return std::binary_search(sets[b].begin(), sets[b].end(), lock);
         });
}

void CheckVouched::add(const SluiceCheckLeaf &leaf, CheckRange range) {
  if (range.start >= range.end)
    return;
  std::map<uintptr_t, uintptr_t> &known = ranges[&leaf];
  auto at = known.upper_bound(range.start);
  if (at != known.begin() && std::prev(at)->second >= range.start)
    --at;
  while (at != known.end() && at->first <= range.end) {
    range.start = std::min(range.start, at->first);
    range.end = std::max(range.end, at->second);
    at = known.erase(at);
  }
  known[range.start] = range.end;
}

bool CheckVouched::contains(const SluiceCheckLeaf &leaf,
                            uintptr_t address) const {
  auto known = ranges.find(&leaf);
  if (known == ranges.end())
    return false;
  auto at = known->second.upper_bound(address);
  return at != known->second.begin() && address < std::prev(at)->second;
}
