//===- PlanTable.cpp - Prepared plans and their idle launches -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A hash table that only grows; new entries come first in their bucket.
//
//===----------------------------------------------------------------------===//

#include "PlanTable.h"

using namespace sluice;

PlanEntry::PlanEntry(std::unique_ptr<PlanInfo> info) : info(std::move(info)) {}
PlanEntry::~PlanEntry() = default;

Result<PlanEntry *> PlanTable::add(const SluicePlan &plan) {
  std::lock_guard lock(mutex);
  if (PlanEntry *entry = lookUp(plan))
    return entry;
  Result<std::unique_ptr<PlanInfo>> info = PlanInfo::create(plan);
  if (!info.ok())
    return info.takeStatus();
  if (Status status = prepare(context, **info); !status.ok())
    return status;
  entries.push_back(std::make_unique<PlanEntry>(std::move(*info)));
  PlanEntry *entry = entries.back().get();
  std::atomic<PlanEntry *> &bucket = buckets[bucketOf(plan)];
  entry->nextInBucket = bucket.load(std::memory_order_relaxed);
  bucket.store(entry, std::memory_order_release);
  return entry;
}
