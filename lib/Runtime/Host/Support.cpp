//===- Support.cpp - Functions that generated code calls ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory for kernels, and the way to fail. Errors leave the kernel as an
// exception.
//
//===----------------------------------------------------------------------===//

#include "../Checks/Checker.h"
#include "../Execution/KernelCall.h"
#include "../KernelMemory/InstanceMemory.h"
#include "../Scheduling/Pool.h"

#include "sluice-c/Reductions.h"
#include "sluice/Base/Text.h"

#include <atomic>

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

void *sluiceJoinCopies(const SluiceCopies *copies, uint64_t chunk,
                       const unsigned char *frame, SluiceCombine combine) {
  auto copyOf = [&](uint64_t number) {
    return copies->copies + number * copies->size;
  };
  // The copy of `first` holds the chunks from there on, `width` of them or all
  // that there are.
  uint64_t first = chunk;
  for (uint64_t width = 1; width < copies->numChunks; width *= 2) {
    uint64_t left = first & ~width, right = first | width;
    if (right >= copies->numChunks)
      continue;
    // Who comes second finds the other half complete, and the flag is as it
    // was.
    std::atomic_ref flag(copies->flags[right]);
    if (!(flag.fetch_xor(1, std::memory_order_acq_rel) & 1))
      return nullptr;
    combine(frame, copyOf(left), copyOf(right));
    first = left;
  }
  return copies->copies;
}

void sluiceFail(const SluiceInvocation *invocation, const char *message) {
  fail(message ? message : "failed without a message");
}
