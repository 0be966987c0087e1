//===- FilesLater.cpp - Reads and writes of files that end later ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// File operations that have begun and not ended.
//
//===----------------------------------------------------------------------===//

#include "FilesLater.h"

#include <mutex>
#include <unordered_map>

using namespace sluice::mpi;

namespace {
struct Begun {
  std::mutex lock;
  std::unordered_map<uintptr_t, Side> sides;
};
} // namespace

/// The number of such operations: the fast path of files without any.
static constinit std::atomic<int> numBegun = 0;

static Begun &begun() {
  static Begun *instance = new Begun;
  return *instance;
}

void sluice::mpi::keepBegun(MPI_File file, Side &&side) {
  std::lock_guard guard(begun().lock);
  if (begun().sides.insert_or_assign(keyOf(file), std::move(side)).second)
    numBegun.fetch_add(1, std::memory_order_relaxed);
}

Side sluice::mpi::takeBegun(MPI_File file) {
  Side side;
  if (numBegun.load(std::memory_order_relaxed) == 0)
    return side;
  std::lock_guard guard(begun().lock);
  if (auto found = begun().sides.find(keyOf(file));
      found != begun().sides.end()) {
    side = std::move(found->second);
    begun().sides.erase(found);
    numBegun.fetch_sub(1, std::memory_order_relaxed);
  }
  return side;
}
