//===- Shadow.h - The accesses to each byte -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For every eight bytes that a checked graph accesses, stores the accesses that
// may conflict with a later one, and the bytes that the graph has written. A
// hash map finds tables for 4096 bytes each; recently used tables are found
// directly.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_CHECKS_SHADOW_H
#define SLUICE_RUNTIME_CHECKS_SHADOW_H

#include "sluice-c/Check.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace sluice {

/// An access by one instance to some bytes of a granule.
struct ShadowEntry {
  uint64_t instance;
  const SluiceCheckSite *site;
  uint32_t execution;
  uint32_t phase;
  uint32_t locks; ///< CheckTurns: the held locks
  uint8_t mask;   ///< bytes of the granule
  uint8_t kind;   ///< SluiceCheckKind

  bool isAtomic() const { return kind & SLUICE_CHECK_ATOMIC; }
  bool writes() const { return kind & SLUICE_CHECK_WRITE; }
};

/// Eight bytes of memory.
struct ShadowGranule {
  std::vector<ShadowEntry> entries;
  uint8_t written = 0;
};

class Shadow {
public:
  static constexpr uint64_t granuleSize = 8;

  /// The granule that contains `address`.
  ShadowGranule &at(uintptr_t address) {
    uintptr_t number = address / pageSize;
    Recent &recent = recents[number % recents.size()];
    if (number != recent.number)
      recent = {number, find(number)};
    return recent.page->granules[address % pageSize / granuleSize];
  }

  /// Clears all granules.
  void clear() {
    ++generation;
    recents.fill({});
  }

  /// Clears the bytes of a range because its memory is new.
  void clear(uintptr_t start, uint64_t size);

  /// The bytes of the granule at `address` that lie in [address, end).
  static uint8_t maskOf(uintptr_t address, uintptr_t end) {
    uintptr_t first = address % granuleSize;
    uintptr_t last = std::min<uintptr_t>(granuleSize, first + (end - address));
    return static_cast<uint8_t>(((1u << (last - first)) - 1) << first);
  }

private:
  static constexpr uint64_t pageSize = 4096;
  static constexpr uintptr_t noPage = UINTPTR_MAX;
  struct Page {
    uint64_t generation = 0;
    std::array<ShadowGranule, pageSize / granuleSize> granules;
  };

  /// A recently used page.
  struct Recent {
    uintptr_t number = noPage;
    Page *page = nullptr;
  };

  Page *find(uintptr_t number);
  void clear(Page &page, uintptr_t start, uintptr_t end);

  std::unordered_map<uintptr_t, std::unique_ptr<Page>> pages;
  uint64_t generation = 1;
  std::array<Recent, 512> recents;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_CHECKS_SHADOW_H
