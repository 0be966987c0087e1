//===- Support.cpp - Functions that generated code calls ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory for kernels, and failing. Errors leave the kernel as an exception.
//
//===----------------------------------------------------------------------===//

#include "../Checks/Checker.h"
#include "../Execution/KernelCall.h"
#include "../KernelMemory/InstanceMemory.h"
#include "../Scheduling/Parking.h"
#include "../Scheduling/Pool.h"

#include "sluice-c/Reductions.h"
#include "sluice/Base/Text.h"

#include <atomic>
#include <chrono>

using namespace sluice;

[[noreturn]] static void fail(std::string message) {
  throw KernelFailure{std::move(message)};
}

static uint64_t checkedSize(int64_t size) {
  if (size < 0)
    fail(concat("malloc of ", size, " bytes"));
  return static_cast<uint64_t>(size);
}

void *sluiceMalloc(const SluiceInvocation *invocation, int64_t size) {
  auto *memory = static_cast<InstanceMemory *>(invocation->instance);
  if (void *pointer = memory->allocate(checkedSize(size))) {
    if (Checker *checker = Checker::current())
      checker->allocated(pointer, size);
    return pointer;
  }
  fail(concat("no memory for malloc of ", size, " bytes"));
}

void *sluiceGroupMalloc(const SluiceInvocation *invocation, int64_t size) {
  if (void *pointer =
          Worker::current()->groupMemory.allocate(checkedSize(size))) {
    if (Checker *checker = Checker::current())
      checker->allocated(pointer, size);
    return pointer;
  }
  fail(concat("no memory for malloc of ", size, " bytes in a work-group"));
}

void sluiceGroupFree(const SluiceInvocation *invocation, void *pointer) {
  if (Checker *checker = Checker::current())
    checker->freed(pointer);
  Worker::current()->groupMemory.free(pointer);
}

/// Flags of a chunk.
enum : unsigned char {
  /// One half of its tree node is complete.
  isJoined = 1,
  /// All chunks before it have been scanned.
  isBehind = 2,
  /// It was scanned alone.
  isAlone = 4,
};

void *sluiceJoinChunks(const SluiceCopies *copies, uint64_t chunk,
                       uint64_t numChunks, const unsigned char *frame,
                       SluiceCombine combine) {
  auto copyOf = [&](uint64_t number) {
    return copies->copies + number * copies->size;
  };
  // The copy of `first` contains the chunks from there on, `width` of them or
  // as many as there are.
  uint64_t first = chunk;
  for (uint64_t width = numChunks; width < copies->numChunks; width *= 2) {
    uint64_t left = first & ~width, right = first | width;
    if (right >= copies->numChunks)
      continue;
    if (!copies->flags) {
      if (first == left)
        return nullptr;
      combine(frame, copyOf(left), copyOf(right));
      first = left;
      continue;
    }
    // The later worker finds the other half complete, and resets the flag.
    std::atomic_ref flag(copies->flags[right]);
    if (!(flag.fetch_xor(isJoined, std::memory_order_acq_rel) & isJoined))
      return nullptr;
    combine(frame, copyOf(left), copyOf(right));
    first = left;
  }
  return copies->copies;
}

uint64_t sluiceTakeChunk(const SluiceCopies *copies) {
  std::atomic_ref next(*copies->next);
  uint64_t chunk = next.fetch_add(1, std::memory_order_relaxed);
  if (chunk + 1 == copies->numChunks) // Nobody will query it any more.
    next.store(0, std::memory_order_relaxed);
  return chunk;
}

static std::atomic_ref<unsigned char> flagOf(const SluiceCopies *copies,
                                             uint64_t chunk) {
  return std::atomic_ref(copies->flags[chunk]);
}

uint32_t sluiceIsBehind(const SluiceCopies *copies, uint64_t chunk) {
  return chunk != 0 &&
         (flagOf(copies, chunk).load(std::memory_order_acquire) & isBehind);
}

/// Waits until the previous chunk has completed, but not for long: that chunk
/// began earlier, and this worker has its own elements in the cache. Does not
/// wait if the previous chunk itself was left to earlier chunks.
static void waitShortly(const SluiceCopies *copies, uint64_t chunk) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::microseconds patience(50);
  const Clock::time_point end = Clock::now() + patience;
  while (!sluiceIsBehind(copies, chunk)) {
    bool isLeft =
        flagOf(copies, chunk - 1).load(std::memory_order_relaxed) & isAlone;
    if (isLeft || Clock::now() > end)
      return;
    for (int i = 0; i != 8; ++i)
      pauseProcessor();
  }
}

void sluiceEndScan(const SluiceCopies *copies, uint64_t chunk,
                   uint32_t wasBehind, const unsigned char *frame,
                   SluiceJoin join) {
  bool isOwnLeft = chunk != 0 && !wasBehind;
  uint64_t first = isOwnLeft ? chunk : chunk + 1;
  if (isOwnLeft) {
    waitShortly(copies, chunk);
    if (!(flagOf(copies, chunk).fetch_or(isAlone, std::memory_order_acq_rel) &
          isBehind))
      return;
    join(frame, copies, chunk, SLUICE_JOIN_COPY);
  }
  // All chunks up to `chunk` have completed, and so have the following chunks
  // that were left to them. Later chunks need not wait for their elements. No
  // other worker uses the flags of completed chunks, except the flag of the
  // tree.
  for (;;) {
    flagOf(copies, chunk).fetch_and(isJoined, std::memory_order_relaxed);
    if (++chunk == copies->numChunks ||
        !(flagOf(copies, chunk).fetch_or(isBehind, std::memory_order_acq_rel) &
          isAlone))
      break;
    join(frame, copies, chunk, SLUICE_JOIN_COPY);
  }
  for (; first < chunk; ++first)
    join(frame, copies, first, SLUICE_JOIN_ELEMENTS);
}

void sluiceFail(const SluiceInvocation *invocation, const char *message) {
  fail(message ? message : "failed without a message");
}
