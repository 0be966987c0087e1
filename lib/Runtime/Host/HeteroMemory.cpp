//===- HeteroMemory.cpp - Memory of Hetero-C++ programs -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hetero-C++ allocates and tracks memory for graphs in one step.
//
//===----------------------------------------------------------------------===//

#include "HostAPI.h"
#include "HostRuntime.h"

#include "sluice-c/Runtime.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace sluice;

static void checkCopy(const Status &status) {
  if (!status.ok())
    endProcess(status.message());
}

void *__hetero_malloc(size_t size) {
  constexpr size_t alignment = 64;
  size_t rounded = (size + alignment - 1) / alignment * alignment;
  void *memory =
      rounded < size
          ? nullptr
          : std::aligned_alloc(alignment, rounded ? rounded : alignment);
  if (!memory) {
    std::fprintf(stderr, "sluice: error: __hetero_malloc: no %zu bytes left\n",
                 size);
    std::exit(1);
  }
  sluiceTrackMemory(memory, std::max<size_t>(size, 1));
  return memory;
}

void __hetero_free(void *memory) {
  if (!memory)
    return;
  sluiceDropMemory(memory);
  std::free(memory);
}

void __hetero_copy_mem(void *to, void *from, size_t size) {
  // Nodes get their memory where they run.
  Runtime *runtime = size ? runtimeOfHost() : nullptr;
  if (runtime) {
    checkCopy(runtime->useAnyMemory(from, size, HostUse::Read));
    checkCopy(runtime->useAnyMemory(to, size, HostUse::ReadWrite));
  }
  std::memcpy(to, from, size);
}

void __hetero_request_mem(void *memory, size_t size) {
  if (memory && size)
    sluiceRequestAnyMemory(memory, size);
}
