//===- FieldRanges.cpp - Where the fields of checked programs are ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FieldRanges.h"

#include <atomic>
#include <iterator>
#include <map>
#include <mutex>

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

void FieldRanges::add(const void *begin, uint64_t bytes) {
  KnownRanges &all = KnownRanges::get();
  std::lock_guard lock(all.mutex);
  const auto start = reinterpret_cast<uintptr_t>(begin);
  all.ends[start] = start + bytes;
}

void FieldRanges::remove(const void *begin) {
  if (!isWatching.load())
    return;
  KnownRanges &all = KnownRanges::get();
  std::lock_guard lock(all.mutex);
  all.ends.erase(reinterpret_cast<uintptr_t>(begin));
}

bool FieldRanges::contains(uintptr_t address) {
  KnownRanges &all = KnownRanges::get();
  std::lock_guard lock(all.mutex);
  auto behind = all.ends.upper_bound(address);
  return behind != all.ends.begin() && address < std::prev(behind)->second;
}
