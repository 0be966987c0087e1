//===- FieldRanges.cpp - Where the fields of checked programs are ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FieldRanges.h"

#include "Reporting.h"

#include <atomic>
#include <iterator>
#include <map>
#include <mutex>
#include <utility>

using namespace sluice::regions;

/// Address space only: nobody touches it.
static constexpr uint64_t marginBytes = uint64_t(1) << 20;

namespace {
/// Never destroyed: tasks may still run while the process ends.
struct KnownRanges {
  std::mutex mutex;
  /// The end of each range by its begin.
  std::map<uintptr_t, uintptr_t> ends;

  static KnownRanges &get() {
    static KnownRanges &all = *new KnownRanges;
    return all;
  }
};
} // namespace

static constinit std::atomic<bool> isWatching{false};

void FieldRanges::begin() { isWatching.store(true); }

uint64_t FieldRanges::margin() { return isWatching.load() ? marginBytes : 0; }

// Memory is allocated and freed outside of the lock: functions of the program
// that do this may wait for threads that ask here.

void FieldRanges::add(const void *begin, uint64_t bytes) {
  const Reporting reporting;
  KnownRanges &all = KnownRanges::get();
  const auto start = reinterpret_cast<uintptr_t>(begin);
  std::map<uintptr_t, uintptr_t> one{{start, start + bytes}};
  auto node = one.extract(one.begin());
  std::lock_guard lock(all.mutex);
  // A range that is known: its node keeps its place, and this one goes.
  if (auto known = all.ends.find(start); known != all.ends.end())
    known->second = start + bytes;
  else
    all.ends.insert(std::move(node));
}

void FieldRanges::remove(const void *begin) {
  if (!isWatching.load())
    return;
  const Reporting reporting;
  KnownRanges &all = KnownRanges::get();
  decltype(all.ends)::node_type removed;
  std::lock_guard lock(all.mutex);
  removed = all.ends.extract(reinterpret_cast<uintptr_t>(begin));
}

FieldRange FieldRanges::around(uintptr_t address) {
  const Reporting reporting;
  KnownRanges &all = KnownRanges::get();
  std::lock_guard lock(all.mutex);
  auto behind = all.ends.upper_bound(address);
  if (behind == all.ends.begin() || address >= std::prev(behind)->second)
    return {0, 0};
  return {std::prev(behind)->first, std::prev(behind)->second};
}
