//===- HeteroMemory.cpp - Memory of Hetero-C++ programs -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hetero-C++ allocates memory for graphs and has it tracked in one step.
//
//===----------------------------------------------------------------------===//

#include "sluice-c/Runtime.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

static constinit std::mutex mutex;
/// Starts and sizes of what __hetero_malloc gave. Never destroyed: programs
/// free memory in their own destructors.
static std::map<uintptr_t, size_t> &allocations() {
  static auto *map = new std::map<uintptr_t, size_t>;
  return *map;
}

static bool isAllocated(const void *memory) {
  std::lock_guard lock(mutex);
  auto address = reinterpret_cast<uintptr_t>(memory);
  auto next = allocations().upper_bound(address);
  if (next == allocations().begin())
    return false;
  auto [start, size] = *std::prev(next);
  return address - start < size;
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
  size_t tracked = std::max<size_t>(size, 1);
  sluiceTrackMemory(memory, tracked);
  std::lock_guard lock(mutex);
  allocations()[reinterpret_cast<uintptr_t>(memory)] = tracked;
  return memory;
}

void __hetero_free(void *memory) {
  if (!memory)
    return;
  sluiceUntrackMemory(memory);
  {
    std::lock_guard lock(mutex);
    allocations().erase(reinterpret_cast<uintptr_t>(memory));
  }
  std::free(memory);
}

void __hetero_copy_mem(void *to, void *from, size_t size) {
  std::memcpy(to, from, size);
}

void __hetero_request_mem(void *memory, size_t size) {
  // Other memory of a Hetero-C++ program is not tracked and the host's own.
  if (isAllocated(memory))
    sluiceRequestMemory(memory, size);
}
