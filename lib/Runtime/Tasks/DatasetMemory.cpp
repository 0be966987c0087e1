//===- DatasetMemory.cpp - The memory of a run's datasets -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pages that were returned to the system come back as zeros. This saves the
// time to clear them but costs a page fault each. So a process that runs graphs
// repeatedly keeps some pages.
//
//===----------------------------------------------------------------------===//

#include "DatasetMemory.h"

#include "sluice/Base/Text.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <sys/mman.h>
#include <sys/sysinfo.h>

using namespace sluice;
using namespace sluice::tasks;

static constexpr uint64_t alignment = 64;
static constexpr uint64_t largePage = uint64_t(1) << 21;

static constinit std::atomic<uint64_t> keptLimit{uint64_t(256) << 20};
static constinit std::atomic<uint64_t> kept{0};

void DatasetMemory::setKeptBytesLimit(uint64_t bytes) { keptLimit = bytes; }
uint64_t DatasetMemory::keptBytes() { return kept; }

void DatasetMemory::Free::operator()(void *block) const { std::free(block); }

DatasetMemory::~DatasetMemory() {
  for (Place &place : places) {
    if (!place.mapping)
      continue;
    stopKeeping(place);
    ::munmap(place.mapping, place.mappedBytes);
  }
}

static uint64_t alignedSize(uint64_t size) {
  return std::max(alignment, (size + alignment - 1) & ~(alignment - 1));
}

/// The number in a file, or UINT64_MAX.
static uint64_t numberIn(const char *path) {
  std::ifstream file(path);
  uint64_t number = 0;
  return file >> number ? number : UINT64_MAX;
}

/// Total memory and swap of the machine, or a container's lower limit. (Mapping
/// pages does not reserve them, and a process that uses too many is killed
/// without a message.)
static uint64_t machineBytes() {
  struct sysinfo info;
  uint64_t bytes = UINT64_MAX;
  if (::sysinfo(&info) == 0)
    bytes = (uint64_t(info.totalram) + info.totalswap) * info.mem_unit;
  for (const char *limit : {"/sys/fs/cgroup/memory.max",
                            "/sys/fs/cgroup/memory/memory.limit_in_bytes"})
    bytes = std::min(bytes, numberIn(limit));
  return bytes;
}

static Status checkSizes(std::span<const SluiceTaskData> data) {
  uint64_t max = 0;
  for (const SluiceTaskData &one : data)
    max = std::max(max, one.size);
  if (max < (uint64_t(1) << 30)) // avoid requesting nothing
    return {};
  uint64_t limit = machineBytes();
  for (const SluiceTaskData &one : data)
    if (one.size > limit)
      return Status::error(StatusCode::Exhausted,
                           concat("no memory for the ", one.size,
                                  " bytes of dataset ", quoted(one.name),
                                  ": this machine has ", limit));
  return {};
}

Status DatasetMemory::allocate(std::span<const SluiceTaskData> data,
                               bool hasMargins) {
  uint64_t gap = hasMargins ? margin : 0;
  if (Status status = checkSizes(data); !status.ok())
    return status;
  places.resize(data.size());
  for (uint32_t i = 0; i < data.size(); ++i) {
    places[i].size = data[i].size;
    if (data[i].size >= minMapped && !map(places[i], i, gap))
      return Status::error(StatusCode::Exhausted,
                           concat("no memory for the ", data[i].size,
                                  " bytes of dataset ", quoted(data[i].name)));
  }
  return allocateBlock(data, gap);
}

Status DatasetMemory::allocateBlock(std::span<const SluiceTaskData> data,
                                    uint64_t gap) {
  uint64_t total = 0;
  for (const SluiceTaskData &one : data)
    if (one.size < minMapped)
      total += alignedSize(one.size) + gap;
  if (!total)
    return {};
  total += gap;
  block.reset(std::aligned_alloc(alignment, total));
  if (!block)
    return Status::error(StatusCode::Exhausted,
                         concat("no memory for ", total, " bytes of datasets"));
  char *next = static_cast<char *>(block.get()) + gap;
  for (Place &place : places) {
    if (place.mapping)
      continue;
    place.isZero = false;
    place.address = next;
    next += alignedSize(place.size) + gap;
  }
  return {};
}

/// Arrays of equal size begin at different offsets in their first pages: loads
/// and stores with addresses that differ by a multiple of the page size slow
/// each other down.
bool DatasetMemory::map(Place &place, uint32_t number, uint64_t gap) {
  uint64_t shift = number % 16 * 4 * alignment;
  bool isLarge = place.size >= 2 * largePage;
  uint64_t total;
  if (__builtin_add_overflow(
          place.size, shift + (isLarge ? largePage : 0) + 2 * gap, &total))
    return false;
  void *mapping = ::mmap(nullptr, total, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED)
    return false;
  place.mapping = mapping;
  place.mappedBytes = total;
  auto base = reinterpret_cast<uintptr_t>(mapping) + gap;
  if (isLarge) {
    base = (base + largePage - 1) & ~(largePage - 1);
    // Only a hint: the system may have no large pages.
    (void)::madvise(reinterpret_cast<void *>(base), place.size + shift,
                    MADV_HUGEPAGE);
  }
  place.address = reinterpret_cast<char *>(base) + shift;
  return true;
}

void DatasetMemory::stopKeeping(Place &place) {
  if (place.isKept)
    kept.fetch_sub(place.size, std::memory_order_relaxed);
  place.isKept = false;
}

bool DatasetMemory::beginUse(uint32_t data) {
  Place &place = places[data];
  stopKeeping(place);
  bool wasZero = place.isZero;
  place.isZero = false;
  return wasZero;
}

void DatasetMemory::endUse(uint32_t data) {
  Place &place = places[data];
  if (!place.mapping || place.isKept || place.isZero)
    return;
  uint64_t limit = keptLimit.load(std::memory_order_relaxed);
  uint64_t before = kept.fetch_add(place.size, std::memory_order_relaxed);
  if (place.size <= limit && before <= limit - place.size) {
    place.isKept = true;
    return;
  }
  kept.fetch_sub(place.size, std::memory_order_relaxed);
  // None of these pages is part of another mapping.
  place.isZero =
      ::madvise(place.mapping, place.mappedBytes, MADV_DONTNEED) == 0;
}
