//===- Requests.cpp - The table of requests -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A hash table with shards, each with a lock. Records are linked into it and
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
  std::vector<PendingRequest *> buckets = std::vector<PendingRequest *>(64);
  size_t size = 0;

  PendingRequest *&bucketOf(uintptr_t hash) {
    return buckets[hash / numberOfShards % buckets.size()];
  }
  void grow();
};

struct RequestTable {
  Shard shards[numberOfShards];
  SpinLock spareLock;
  PendingRequest *spare = nullptr;
  size_t spareCount = 0;
};

struct Orphan {
  MPI_Request request;
  PendingRequest *record;
};
struct Orphans {
  std::mutex lock;
  std::deque<Orphan> list;
};

/// Number of records that are neither free nor orphans.
constinit std::atomic<int64_t> liveRecords = 0;
constinit std::atomic<int64_t> orphanCount = 0;
} // namespace

static RequestTable &table() {
  static RequestTable *instance = new RequestTable;
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
  std::vector<PendingRequest *> old(buckets.size() * 4);
  old.swap(buckets);
  for (PendingRequest *record : old)
    while (record) {
      PendingRequest *next = record->next;
      PendingRequest *&bucket = bucketOf(hashOf(record->key));
      record->next = bucket;
      bucket = record;
      record = next;
    }
}

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

PendingRequest *sluice::mpi::newRecord() {
  pollOrphans();
  liveRecords.fetch_add(1, std::memory_order_relaxed);
  RequestTable &t = table();
  std::lock_guard guard(t.spareLock);
  PendingRequest *record = t.spare;
  if (!record)
    return new PendingRequest;
  t.spare = record->next;
  --t.spareCount;
  return record;
}

static void freeRecord(PendingRequest *record) {
  liveRecords.fetch_sub(1, std::memory_order_relaxed);
  record->exchange.clear();
  record->references = 1;
  record->claim = Claim::None;
  record->isReceive = record->isPersistent = record->isStarting = false;
  record->isActive = true;
  record->isDelivered = record->mayBeCancelled = false;
  RequestTable &t = table();
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

void sluice::mpi::releaseRecord(PendingRequest *record) {
  if (record->references.fetch_sub(1, std::memory_order_acq_rel) == 1)
    freeRecord(record);
}

bool sluice::mpi::noRequests() {
  return liveRecords.load(std::memory_order_relaxed) == 0 &&
         orphanCount.load(std::memory_order_relaxed) == 0;
}

/// The record with that key. The shard is locked.
static PendingRequest **linkTo(Shard &shard, uintptr_t hash, uintptr_t key) {
  PendingRequest **link = &shard.bucketOf(hash);
  while (*link && (*link)->key != key)
    link = &(*link)->next;
  return link;
}

static PendingRequest *unlink(Shard &shard, PendingRequest **link) {
  PendingRequest *record = *link;
  *link = record->next;
  record->isLinked = false;
  --shard.size;
  return record;
}

PendingRequest *sluice::mpi::claimRecord(MPI_Request request, Claim how) {
  uintptr_t key = keyOf(request), hash = hashOf(key);
  Shard &shard = shardOf(hash);
  std::lock_guard guard(shard.lock);
  PendingRequest *found = *linkTo(shard, hash, key);
  if (!found || found->claim.load(std::memory_order_relaxed) != Claim::None)
    return nullptr;
  found->claims.fetch_add(1, std::memory_order_relaxed);
  found->claim.store(how, std::memory_order_release);
  found->references.fetch_add(1, std::memory_order_relaxed);
  return found;
}

void sluice::mpi::unclaim(PendingRequest *record) {
  record->claim.store(Claim::None, std::memory_order_release);
  releaseRecord(record);
}

void sluice::mpi::removeRecord(PendingRequest *record) {
  uintptr_t hash = hashOf(record->key);
  Shard &shard = shardOf(hash);
  {
    std::lock_guard guard(shard.lock);
    if (!record->isLinked)
      return; // another operation has replaced it
    PendingRequest **link = &shard.bucketOf(hash);
    while (*link != record)
      link = &(*link)->next;
    unlink(shard, link);
  }
  releaseRecord(record);
}

void sluice::mpi::discard(PendingRequest *record) {
  removeRecord(record);
  unclaim(record);
}

//===----------------------------------------------------------------------===//
// Completion
//===----------------------------------------------------------------------===//

/// Number of bytes received; 0 if the receive was cancelled.
static int64_t bytesOf(const PendingRequest &record, MPI_Status *status) {
  int flag = 0;
  if (record.mayBeCancelled)
    PMPI_Test_cancelled(status, &flag);
  MPI_Count bytes = 0;
  if (flag || PMPI_Get_elements_x(status, MPI_BYTE, &bytes) != MPI_SUCCESS)
    return 0;
  return bytes;
}

/// Unpacks, unless already done; the record must be locked.
static void deliverRecord(PendingRequest &record, MPI_Status *status) {
  Exchange &exchange = record.exchange;
  if (!record.isActive || !exchange.receive.isUsed())
    return;
  int64_t bytes = record.isReceive && status ? bytesOf(record, status) : 0;
  // The result of a polling thread may belong to a later operation with the
  // same handle.
  if (record.isDelivered && record.deliveredBytes == bytes)
    return;
  if (!record.isReceive)
    exchange.receive.unpackAll();
  else if (bytes)
    exchange.receive.unpackFirst(bytes);
  record.isDelivered = true;
  record.deliveredBytes = bytes;
}

/// Called when its operation has ended, successfully or not.
static void endRecord(PendingRequest *record) {
  if (record->isPersistent) {
    record->isActive = record->isDelivered = record->mayBeCancelled = false;
    record->deliveredBytes = 0;
  } else {
    record->isActive = false;
  }
}

void sluice::mpi::settle(PendingRequest *record, MPI_Status *status) {
  {
    std::lock_guard guard(record->lock);
    deliverRecord(*record, status);
    endRecord(record);
  }
  if (!record->isPersistent)
    removeRecord(record);
  unclaim(record);
}

void sluice::mpi::settleFailed(PendingRequest *record) {
  {
    std::lock_guard guard(record->lock);
    endRecord(record);
  }
  if (!record->isPersistent)
    removeRecord(record);
  unclaim(record);
}

void sluice::mpi::enterRecord(MPI_Request request, PendingRequest *record) {
  record->key = keyOf(request);
  uintptr_t hash = hashOf(record->key);
  Shard &shard = shardOf(hash);
  PendingRequest *complete = nullptr;
  bool isClaimed = false;
  {
    std::lock_guard guard(shard.lock);
    if (PendingRequest **link = linkTo(shard, hash, record->key); *link) {
      complete = unlink(shard, link);
      isClaimed = complete->claim.load() != Claim::None;
    }
    if (++shard.size > 4 * shard.buckets.size())
      shard.grow();
    PendingRequest *&bucket = shard.bucketOf(hash);
    record->next = bucket;
    record->isLinked = true;
    bucket = record;
  }
  if (!complete)
    return;
  // The claimer unpacks it. Otherwise only a collective can have such a handle
  // and something to unpack.
  if (!isClaimed && !complete->isReceive) {
    std::lock_guard guard(complete->lock);
    deliverRecord(*complete, nullptr);
  }
  releaseRecord(complete);
}

//===----------------------------------------------------------------------===//
// Polling
//===----------------------------------------------------------------------===//

static PendingRequest *findRecord(MPI_Request request) {
  uintptr_t key = keyOf(request), hash = hashOf(key);
  Shard &shard = shardOf(hash);
  std::lock_guard guard(shard.lock);
  PendingRequest *found = *linkTo(shard, hash, key);
  if (found)
    found->references.fetch_add(1, std::memory_order_relaxed);
  return found;
}

Seen::Seen(MPI_Request request) : record(findRecord(request)) {
  if (!record)
    return;
  claims = record->claims.load(std::memory_order_acquire);
  claim = record->claim.load(std::memory_order_acquire);
  std::lock_guard guard(record->lock);
  starts = record->starts;
}

Seen::~Seen() {
  if (record)
    releaseRecord(record);
}

bool Seen::deliver(MPI_Status *status) {
  std::unique_lock guard(record->lock);
  if (starts != record->starts)
    return false; // MPI's answer may refer to the time before it was started
  if (record->isDelivered || !record->isActive ||
      !record->exchange.receive.isUsed())
    return true;
#ifdef OPEN_MPI
  // While another thread waits for the request, Open MPI 4.1 always reports it
  // as complete. The waiting thread unpacks.
  const Claim now = record->claim.load(std::memory_order_acquire);
  if (claim != Claim::None || now != Claim::None ||
      record->claims.load(std::memory_order_acquire) != claims) {
    guard.unlock();
    if (now == Claim::Wait)
      return true;
    std::this_thread::yield();
    return false;
  }
#endif
  deliverRecord(*record, status);
  return true;
}

//===----------------------------------------------------------------------===//
// Orphans
//===----------------------------------------------------------------------===//

void sluice::mpi::adopt(MPI_Request request, PendingRequest *record) {
  std::lock_guard guard(orphans().lock);
  orphans().list.push_back({request, record});
  orphanCount.fetch_add(1, std::memory_order_relaxed);
}

/// Removes the first orphans from the list, at most `maxCount`.
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
  {
    std::lock_guard guard(orphan.record->lock);
    deliverRecord(*orphan.record, status);
  }
  if (orphan.record->isPersistent)
    native::Request_free(&orphan.request);
  releaseRecord(orphan.record);
}

void sluice::mpi::pollOrphans() {
  if (orphanCount.load(std::memory_order_relaxed) == 0)
    return;
  // Only a few per call, because a program may have very many.
  constexpr size_t someOrphans = 8;
  for (Orphan &orphan : takeOrphans(someOrphans)) {
    int flag = 0;
    MPI_Status status;
    int code = native::Test(&orphan.request, &flag, &status);
    if (code != MPI_SUCCESS)
      releaseRecord(orphan.record);
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
      releaseRecord(orphan.record);
  }
}
