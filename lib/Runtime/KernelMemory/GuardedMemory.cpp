//===- GuardedMemory.cpp - Blocks of memory for kernels -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A guarded block consists of a page for the header, a page without access, the
// block's pages, and another page without access. The block lies at the end of
// its pages; the up to 63 bytes between its end and the guard contain a
// pattern.
//
//===----------------------------------------------------------------------===//

#include "GuardedMemory.h"

#include "Pages.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

using namespace sluice;

/// Content of fresh memory and of the bytes after a block.
static constexpr unsigned char pattern = 0xA5;

namespace {
struct BlockHeader {
  uint64_t size;
  uint64_t mapped;
};
} // namespace

bool sluice::guardsMemory() {
  static const bool guards = [] {
    const char *value = std::getenv("SLUICE_GUARD_MEMORY");
    return value && std::strcmp(value, "1") == 0;
  }();
  return guards;
}

static void *allocateGuarded(uint64_t size) {
  uint64_t page = pageSize();
  uint64_t inner = roundUp(size, page);
  uint64_t mapped = inner + 3 * page;
  void *memory = ::mmap(nullptr, mapped, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return nullptr;
  char *base = static_cast<char *>(memory), *data = base + 2 * page;
  if (::mprotect(base, page, PROT_READ | PROT_WRITE) ||
      ::mprotect(data, inner, PROT_READ | PROT_WRITE)) {
    ::munmap(memory, mapped);
    return nullptr;
  }
  *reinterpret_cast<BlockHeader *>(base) = {size, mapped};
  std::memset(data, pattern, inner);
  return data + inner - roundUp(size, 64);
}

static void freeGuarded(void *block) {
  uint64_t page = pageSize();
  auto address = reinterpret_cast<uintptr_t>(block);
  auto *header =
      reinterpret_cast<BlockHeader *>(address / page * page - 2 * page);
  const auto *bytes = static_cast<const unsigned char *>(block);
  for (uint64_t i = header->size; i != roundUp(header->size, 64); ++i)
    if (bytes[i] != pattern) {
      std::fprintf(stderr,
                   "sluice: a block of scratch memory was written beyond its "
                   "end\n");
      std::abort();
    }
  ::munmap(header, header->mapped);
}

void *sluice::allocateBlockMemory(uint64_t size) {
  if (guardsMemory())
    return allocateGuarded(size ? size : 1);
  return std::aligned_alloc(64, roundUp(size, 64));
}

void sluice::freeBlockMemory(void *block) {
  if (!block)
    return;
  if (guardsMemory())
    freeGuarded(block);
  else
    std::free(block);
}
