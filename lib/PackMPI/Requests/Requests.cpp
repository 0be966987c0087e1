//===- Requests.cpp - The table of requests -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A hash table in shards with a lock each. Records are linked into it and are
// reused, so that an operation allocates nothing.
//
//===----------------------------------------------------------------------===//

#include "Requests.h"

#include <algorithm>
#include <deque>
#include <mutex>
#include <vector>

using namespace sluice::mpi;

namespace {
constexpr size_t numberOfShards = 16;
constexpr size_t maxSpareRecords = 1024;

struct alignas(64) Shard {
  SpinLock lock;
  std::vector<Record *> buckets = std::vector<Record *>(64);
  size_t size = 0;

  Record *&bucketOf(uintptr_t hash) {
    return buckets[hash / numberOfShards % buckets.size()];
  }
  void grow();
};

struct Table {
  Shard shards[numberOfShards];
  SpinLock spareLock;
  Record *spare = nullptr;
  size_t spareCount = 0;
};

struct Orphan {
  MPI_Request request;
  Record *record;
};
struct Orphans {
  std::mutex lock;
  std::deque<Orphan> list;
};

/// Number of records that are neither free nor orphans.
constinit std::atomic<int64_t> liveRecords = 0;
constinit std::atomic<int64_t> orphanCount = 0;
} // namespace

static Table &table() {
  static Table *instance = new Table;
  return *instance;
}

static Orphans &orphans() {
  static Orphans *instance = new Orphans;
  return *instance;
}

/// Handles are aligned addresses or consecutive numbers.
static uintptr_t hashOf(uintptr_t key) {
  return (key * 0x9e3779b97f4a7c15u) >> 20;
}

static Shard &shardOf(uintptr_t hash) {
  return table().shards[hash % numberOfShards];
}

void Shard::grow() {
  std::vector<Record *> old(buckets.size() * 4);
  old.swap(buckets);
  for (Record *record : old)
    while (record) {
      Record *next = record->next;
      Record *&bucket = bucketOf(hashOf(record->key));
      record->next = bucket;
      bucket = record;
      record = next;
    }
}

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

Record *sluice::mpi::newRecord() {
  pollOrphans();
  liveRecords.fetch_add(1, std::memory_order_relaxed);
  Table &t = table();
  std::lock_guard guard(t.spareLock);
  Record *record = t.spare;
  if (!record)
    return new Record;
  t.spare = record->next;
  --t.spareCount;
  return record;
}

void sluice::mpi::freeRecord(Record *record) {
  liveRecords.fetch_sub(1, std::memory_order_relaxed);
  record->exchange.clear();
  record->isReceive = record->isPersistent = false;
  record->isActive = true;
  record->isDelivered = record->mayBeCancelled = false;
  Table &t = table();
  {
    std::lock_guard guard(t.spareLock);
    if (t.spareCount < maxSpareRecords) {
      record->next = t.spare;
      t.spare = record;
      ++t.spareCount;
      return;
    }
  }
  delete record;
}

bool sluice::mpi::noRequests() {
  return liveRecords.load(std::memory_order_relaxed) == 0 &&
         orphanCount.load(std::memory_order_relaxed) == 0;
}

Record *sluice::mpi::takeRecord(MPI_Request request) {
  uintptr_t key = keyOf(request);
  uintptr_t hash = hashOf(key);
  Shard &shard = shardOf(hash);
  std::lock_guard guard(shard.lock);
  for (Record **link = &shard.bucketOf(hash); *link; link = &(*link)->next)
    if ((*link)->key == key) {
      Record *found = *link;
      *link = found->next;
      --shard.size;
      return found;
    }
  return nullptr;
}

void sluice::mpi::putRecord(MPI_Request request, Record *record) {
  record->key = keyOf(request);
  uintptr_t hash = hashOf(record->key);
  Shard &shard = shardOf(hash);
  std::lock_guard guard(shard.lock);
  if (++shard.size > 4 * shard.buckets.size())
    shard.grow();
  Record *&bucket = shard.bucketOf(hash);
  record->next = bucket;
  bucket = record;
}

void sluice::mpi::enterRecord(MPI_Request request, Record *record) {
  if (Record *complete = takeRecord(request)) {
    // Only a collective can have such a handle and something to unpack.
    if (!complete->isReceive)
      deliver(*complete, nullptr);
    freeRecord(complete);
  }
  putRecord(request, record);
}

//===----------------------------------------------------------------------===//
// Completion
//===----------------------------------------------------------------------===//

/// Number of bytes received; 0 if the receive was cancelled.
static int64_t bytesOf(const Record &record, MPI_Status *status) {
  int flag = 0;
  if (record.mayBeCancelled)
    PMPI_Test_cancelled(status, &flag);
  MPI_Count bytes = 0;
  if (flag || PMPI_Get_elements_x(status, MPI_BYTE, &bytes) != MPI_SUCCESS)
    return 0;
  return bytes;
}

void sluice::mpi::deliver(Record &record, MPI_Status *status) {
  Exchange &exchange = record.exchange;
  if (record.isDelivered || !record.isActive || !exchange.receive.isUsed())
    return;
  if (!record.isReceive)
    exchange.receive.unpackAll();
  else if (int64_t bytes = bytesOf(record, status))
    exchange.receive.unpackFirst(bytes);
  record.isDelivered = true;
}

void sluice::mpi::settle(Record *record, MPI_Request request,
                         MPI_Status *status) {
  deliver(*record, status);
  if (!record->isPersistent) {
    freeRecord(record);
    return;
  }
  record->isActive = record->isDelivered = record->mayBeCancelled = false;
  putRecord(request, record);
}

void sluice::mpi::settleFailed(Record *record, MPI_Request request) {
  record->isDelivered = true;
  settle(record, request, nullptr);
}

//===----------------------------------------------------------------------===//
// Orphans
//===----------------------------------------------------------------------===//

void sluice::mpi::adopt(MPI_Request request, Record *record) {
  std::lock_guard guard(orphans().lock);
  orphans().list.push_back({request, record});
  orphanCount.fetch_add(1, std::memory_order_relaxed);
}

/// Removes the first orphans from the list, `maxCount` at maxCount.
static std::vector<Orphan> takeOrphans(size_t maxCount) {
  std::lock_guard guard(orphans().lock);
  std::deque<Orphan> &list = orphans().list;
  auto end = list.begin() + ptrdiff_t(std::min(maxCount, list.size()));
  std::vector<Orphan> first(list.begin(), end);
  list.erase(list.begin(), end);
  orphanCount.fetch_sub(int64_t(first.size()), std::memory_order_relaxed);
  return first;
}

static void endOrphan(Orphan &orphan, MPI_Status *status) {
  deliver(*orphan.record, status);
  if (orphan.record->isPersistent)
    native::Request_free(&orphan.request);
  freeRecord(orphan.record);
}

void sluice::mpi::pollOrphans() {
  if (orphanCount.load(std::memory_order_relaxed) == 0)
    return;
  // A few per call, since a program may have very many.
  constexpr size_t someOrphans = 8;
  for (Orphan &orphan : takeOrphans(someOrphans)) {
    int flag = 0;
    MPI_Status status;
    int code = native::Test(&orphan.request, &flag, &status);
    if (code != MPI_SUCCESS)
      freeRecord(orphan.record);
    else if (flag)
      endOrphan(orphan, &status);
    else
      adopt(orphan.request, orphan.record);
  }
}

void sluice::mpi::endOrphans() {
  for (Orphan &orphan : takeOrphans(SIZE_MAX)) {
    int flag = 0;
    MPI_Status status;
    bool isSend = !orphan.record->exchange.receive.isUsed();
    int code = native::Test(&orphan.request, &flag, &status);
    if (code == MPI_SUCCESS && !flag && !isSend && orphan.record->isReceive) {
      orphan.record->mayBeCancelled = true;
      code = native::Cancel(&orphan.request);
    }
    if (code == MPI_SUCCESS && !flag)
      code = native::Wait(&orphan.request, &status);
    if (code == MPI_SUCCESS)
      endOrphan(orphan, &status);
    else
      freeRecord(orphan.record);
  }
}
