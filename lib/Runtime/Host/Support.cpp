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

#include "sluice-c/Runtime.h"
#include "sluice/Base/Text.h"

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

void sluiceFail(const SluiceInvocation *invocation, const char *message) {
  fail(message ? message : "failed without a message");
}
