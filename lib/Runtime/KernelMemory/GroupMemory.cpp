//===- GroupMemory.cpp - Scratch memory of work-groups --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every block starts with a header of 64 bytes, so that the memory after it has
// the alignment of the block.
//
//===----------------------------------------------------------------------===//

#include "GroupMemory.h"

#include "GuardedMemory.h"
#include "InstanceMemory.h"

using namespace sluice;

struct GroupMemory::Block {
  Block *next;
  Block *previous;
  uint64_t capacity;

  static constexpr uint64_t headerSize = 64;
  void *data() { return reinterpret_cast<char *>(this) + headerSize; }
  static Block *of(void *pointer) {
    return reinterpret_cast<Block *>(static_cast<char *>(pointer) - headerSize);
  }
};

GroupMemory::~GroupMemory() {
  freeAll();
  for (unsigned i = 0; i < numKept; ++i)
    freeBlockMemory(kept[i]);
}

void *GroupMemory::allocate(uint64_t size) {
  Block *block = nullptr;
  for (unsigned i = numKept; i-- && !block;) {
    if (kept[i]->capacity < size || kept[i]->capacity / 4 > size + 4096)
      continue;
    block = kept[i];
    kept[i] = kept[--numKept];
  }
  if (!block) {
    if (size > maxAllocation)
      return nullptr;
    uint64_t capacity = (size + 63) & ~UINT64_C(63);
    block = static_cast<Block *>(allocateBlockMemory(Block::headerSize + size));
    if (!block)
      return nullptr;
    block->capacity = capacity;
  }
  block->previous = nullptr;
  block->next = used;
  if (used)
    used->previous = block;
  used = block;
  return block->data();
}

void GroupMemory::free(void *pointer) {
  if (!pointer)
    return;
  Block *block = Block::of(pointer);
  if (block->previous)
    block->previous->next = block->next;
  else
    used = block->next;
  if (block->next)
    block->next->previous = block->previous;
  keep(block);
}

void GroupMemory::freeAll() {
  while (used)
    free(used->data());
}

void GroupMemory::keep(Block *block) {
  if (block->capacity > maxKeptSize || guardsMemory()) {
    freeBlockMemory(block);
    return;
  }
  if (numKept == maxKept) {
    freeBlockMemory(kept[0]);
    for (unsigned i = 1; i < maxKept; ++i)
      kept[i - 1] = kept[i];
    --numKept;
  }
  kept[numKept++] = block;
}
