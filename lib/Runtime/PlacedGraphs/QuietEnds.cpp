//===- QuietEnds.cpp - Ends that devices are not asked to report ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps the ends that nobody reports until a thread waits for one of them.
//
//===----------------------------------------------------------------------===//

#include "QuietEnds.h"

#include "../Memory/Tracker.h"

#include <algorithm>

using namespace sluice;

bool QuietEnds::add(GraphInstance &instance, QuietEnd &end) {
  std::lock_guard lock(mutex);
  // A thread that begins to wait for memory later reports these ends.
  if (numWatches != 0 || tracker.anyWaits())
    return false;
  entries.push_back({&instance, &end});
  return true;
}

QuietEnd *QuietEnds::take(const GraphInstance &instance) {
  std::lock_guard lock(mutex);
  auto found =
      std::find_if(entries.begin(), entries.end(), [&](const Entry &entry) {
        return entry.instance == &instance;
      });
  if (found == entries.end())
    return nullptr;
  QuietEnd *end = found->end;
  *found = entries.back();
  entries.pop_back();
  return end;
}

void QuietEnds::reportAll() {
  std::vector<Entry> taken;
  {
    std::lock_guard lock(mutex);
    taken.swap(entries);
  }
  for (const Entry &entry : taken)
    entry.end->report();
}
