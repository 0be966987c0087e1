//===- StagingBuffer.cpp - The pool of buffers ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One list per power of two; an unused buffer contains the link to the next.
//
//===----------------------------------------------------------------------===//

#include "StagingBuffer.h"
#include "SpinLock.h"

#include <bit>
#include <cstdlib>
#include <mutex>
#include <sys/mman.h>

using namespace sluice::mpi;

namespace {
constexpr int minClass = 9;
constexpr int numberOfClasses = 48;
/// Buffers of at least this size begin on a huge page.
constexpr int64_t hugePage = int64_t(2) << 20;

struct Waiting {
  Waiting *next;
};

struct StagingPool {
  SpinLock lock;
  Waiting *lists[numberOfClasses] = {};
  int64_t bytes = 0;
};
} // namespace

static StagingPool &pool() {
  // Never destroyed: requests may complete after the destructors of static
  // objects have run.
  static StagingPool *instance = new StagingPool;
  return *instance;
}

static int classOf(int64_t bytes) {
  int log = std::bit_width(static_cast<uint64_t>(bytes > 0 ? bytes - 1 : 0));
  return log < minClass ? minClass : log;
}

static char *allocate(int64_t bytes) {
  bool large = bytes >= hugePage;
  void *memory = std::aligned_alloc(large ? hugePage : 64, bytes);
  if (large && memory)
    madvise(memory, bytes, MADV_HUGEPAGE);
  return static_cast<char *>(memory);
}

StagingBuffer StagingBuffer::of(int64_t bytes) {
  StagingBuffer result;
  result.sizeClass = classOf(bytes);
  if (result.sizeClass >= numberOfClasses)
    return result;
  {
    StagingPool &p = pool();
    std::lock_guard guard(p.lock);
    if (Waiting *first = p.lists[result.sizeClass]) {
      p.lists[result.sizeClass] = first->next;
      p.bytes -= int64_t(1) << result.sizeClass;
      result.memory = reinterpret_cast<char *>(first);
    }
  }
  if (!result.memory)
    result.memory = allocate(int64_t(1) << result.sizeClass);
  return result;
}

void StagingBuffer::giveBack() {
  int64_t size = int64_t(1) << sizeClass;
  {
    StagingPool &p = pool();
    std::lock_guard guard(p.lock);
    if (p.bytes + size <= stagingPoolLimit) {
      auto *waiting = reinterpret_cast<Waiting *>(memory);
      waiting->next = p.lists[sizeClass];
      p.lists[sizeClass] = waiting;
      p.bytes += size;
      return;
    }
  }
  std::free(memory);
}

void sluice::mpi::emptyStagingPool() {
  StagingPool &p = pool();
  for (Waiting *&list : p.lists) {
    Waiting *first;
    {
      std::lock_guard guard(p.lock);
      first = std::exchange(list, nullptr);
    }
    while (first)
      std::free(std::exchange(first, first->next));
  }
  std::lock_guard guard(p.lock);
  p.bytes = 0;
}

int64_t sluice::mpi::stagingPoolBytes() {
  std::lock_guard guard(pool().lock);
  return pool().bytes;
}
