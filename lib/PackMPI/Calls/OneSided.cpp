//===- OneSided.cpp - Put, get and accumulate -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations in progress, by window. An operation is added when its call has
// returned, and is unpacked under the lock: a thread whose synchronisation has
// ended either finds it unpacked by another thread or unpacks it.
//
//===----------------------------------------------------------------------===//

#include "OneSided.h"

#include <mutex>
#include <unordered_map>

using namespace sluice::mpi;

namespace {
struct Operation {
  uint64_t number;
  int target;
  bool isGet;
  int64_t bytes;
  Side side;
};
struct Windows {
  std::mutex lock;
  std::unordered_map<uintptr_t, std::vector<Operation>> operations;
};
} // namespace

/// The number of windows with operations: the fast path of all others.
static constinit std::atomic<int> numWindows = 0;
static constinit std::atomic<uint64_t> nextNumber = 0;
static constinit std::atomic<int64_t> numBytes = 0;

static Windows &windows() {
  static Windows *instance = new Windows;
  return *instance;
}

uint64_t sluice::mpi::numOperations() { return nextNumber.load(); }

int64_t sluice::mpi::keptBytes() { return numBytes.load(); }

void sluice::mpi::keepUntilSync(MPI_Win win, int target, Side &&side,
                                int64_t bytes, bool isGet) {
  numBytes.fetch_add(bytes);
  std::lock_guard guard(windows().lock);
  std::vector<Operation> &all = windows().operations[keyOf(win)];
  if (all.empty())
    numWindows.fetch_add(1);
  all.push_back(
      {nextNumber.fetch_add(1), target, isGet, bytes, std::move(side)});
}

void sluice::mpi::endOperations(MPI_Win win, int target, uint64_t number) {
  if (numWindows.load() == 0)
    return;
  std::lock_guard guard(windows().lock);
  auto found = windows().operations.find(keyOf(win));
  if (found == windows().operations.end())
    return;
  std::vector<Operation> others;
  for (Operation &operation : found->second)
    if (operation.number >= number ||
        (target != allTargets && operation.target != target))
      others.push_back(std::move(operation));
    else {
      if (operation.isGet)
        operation.side.unpackAll();
      numBytes.fetch_sub(operation.bytes);
    }
  found->second = std::move(others);
  if (!found->second.empty())
    return;
  windows().operations.erase(found);
  numWindows.fetch_sub(1);
}

void sluice::mpi::forgetOperations(MPI_Win win) {
  if (numWindows.load() == 0)
    return;
  std::lock_guard guard(windows().lock);
  auto found = windows().operations.find(keyOf(win));
  if (found == windows().operations.end())
    return;
  for (const Operation &operation : found->second)
    numBytes.fetch_sub(operation.bytes);
  windows().operations.erase(found);
  numWindows.fetch_sub(1);
}
