//===- InstanceMemory.cpp - Memory with the lifetime of a graph instance --===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kept block is filled by incrementing an offset; other blocks form a list.
//
//===----------------------------------------------------------------------===//

#include "InstanceMemory.h"

#include "GuardedMemory.h"

#include <cstdlib>

using namespace sluice;

struct alignas(64) InstanceMemory::Block {
  Block *next;
};

InstanceMemory::~InstanceMemory() {
  reset();
  std::free(kept.load(std::memory_order_relaxed));
}

void *InstanceMemory::allocate(uint64_t size) {
  if (size > keptSize / 4 || guardsMemory())
    return allocateBlock(size);
  char *base = kept.load(std::memory_order_acquire);
  if (!base) {
    base = static_cast<char *>(std::aligned_alloc(64, keptSize));
    if (!base)
      return nullptr;
    char *other = nullptr;
    if (!kept.compare_exchange_strong(other, base, std::memory_order_acq_rel)) {
      std::free(base);
      base = other;
    }
  }
  uint64_t rounded = size ? (size + 63) & ~UINT64_C(63) : 64;
  uint64_t offset = keptUsed.fetch_add(rounded, std::memory_order_relaxed);
  if (offset + rounded <= keptSize)
    return base + offset;
  return allocateBlock(size);
}

void *InstanceMemory::allocateBlock(uint64_t size) {
  if (size > maxAllocation)
    return nullptr;
  void *memory = allocateBlockMemory(sizeof(Block) + size);
  if (!memory)
    return nullptr;
  auto *block = new (memory) Block{blocks.load(std::memory_order_relaxed)};
  while (!blocks.compare_exchange_weak(block->next, block,
                                       std::memory_order_acq_rel))
    ;
  return block + 1;
}

void InstanceMemory::freeBlocks() {
  Block *block = blocks.load(std::memory_order_relaxed);
  blocks.store(nullptr, std::memory_order_relaxed);
  while (block) {
    Block *next = block->next;
    freeBlockMemory(block);
    block = next;
  }
}
