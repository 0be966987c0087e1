//===- GuardedMemory.h - Blocks of memory for kernels -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With SLUICE_GUARD_MEMORY=1 every block of scratch memory ends at a page
// without access, so that an access beyond the block stops the program at once
// and does not change other memory.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_KERNELMEMORY_GUARDEDMEMORY_H
#define SLUICE_RUNTIME_KERNELMEMORY_GUARDEDMEMORY_H

#include <cstdint>

namespace sluice {

/// True if blocks have guards. Such blocks are not reused.
bool guardsMemory();

/// `size` bytes aligned to 64, or null if memory is out. Any thread.
void *allocateBlockMemory(uint64_t size);
/// Frees a block of allocateBlockMemory. If blocks have guards, aborts if bytes
/// directly after the block were written.
void freeBlockMemory(void *block);

} // namespace sluice

#endif // SLUICE_RUNTIME_KERNELMEMORY_GUARDEDMEMORY_H
