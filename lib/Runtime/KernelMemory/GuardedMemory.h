//===- GuardedMemory.h - Blocks of memory for kernels -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With SLUICE_GUARD_MEMORY=1 every block of scratch memory ends where memory
// that nobody may touch begins, so that an access beyond it stops the program
// at that place instead of changing what lies behind.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_KERNELMEMORY_GUARDEDMEMORY_H
#define SLUICE_RUNTIME_KERNELMEMORY_GUARDEDMEMORY_H

#include <cstdint>

namespace sluice {

/// True if blocks lie between guards. Blocks are not used again then.
bool guardsMemory();

/// `size` bytes aligned to 64, or null if there is no memory. Any thread.
void *allocateBlockMemory(uint64_t size);
/// Frees what allocateBlockMemory returned. Where blocks lie between guards,
/// aborts if bytes right behind the block were written.
void freeBlockMemory(void *block);

} // namespace sluice

#endif // SLUICE_RUNTIME_KERNELMEMORY_GUARDEDMEMORY_H
