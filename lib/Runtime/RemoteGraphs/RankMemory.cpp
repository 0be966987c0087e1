//===- RankMemory.cpp - The program's memory on this rank -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pages that are not accessed cost nothing.
//
//===----------------------------------------------------------------------===//

#include "RankMemory.h"

#include "sluice/Base/Text.h"

#include <sys/mman.h>

using namespace sluice;

Status RankMemory::track(uintptr_t start, uint64_t size) {
  if (isHome)
    return {};
  constexpr uint64_t pageSize = 4096;
  const uint64_t offset = start % pageSize;
  const uint64_t bytes = (offset + size + pageSize - 1) / pageSize * pageSize;
  void *pages = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED)
    return Status::error(
        StatusCode::Exhausted,
        concat("no addresses for ", size, " bytes that rank 0 tracks"));
  objects[start] = {size, static_cast<char *>(pages), bytes,
                    reinterpret_cast<uintptr_t>(pages) + offset};
  return {};
}

void RankMemory::untrack(uintptr_t start) {
  auto found = objects.find(start);
  if (found == objects.end())
    return;
  ::munmap(found->second.pages, found->second.pageBytes);
  objects.erase(found);
}

void RankMemory::clear() {
  while (!objects.empty())
    untrack(objects.begin()->first);
}

uintptr_t RankMemory::at(uintptr_t address) const {
  if (isHome)
    return address;
  auto found = objects.upper_bound(address);
  if (found == objects.begin())
    return address;
  --found;
  const uint64_t offset = address - found->first;
  return offset < found->second.size ? found->second.here + offset : address;
}
