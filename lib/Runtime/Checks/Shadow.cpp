//===- Shadow.cpp - The accesses to each byte -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The next graph instance reuses pages: a page of an older generation is
// cleared when it is accessed again.
//
//===----------------------------------------------------------------------===//

#include "Shadow.h"

using namespace sluice;

Shadow::Page *Shadow::find(uintptr_t number) {
  std::unique_ptr<Page> &page = pages[number];
  if (!page)
    page = std::make_unique<Page>();
  if (page->generation != generation) {
    for (ShadowGranule &granule : page->granules) {
      granule.entries.clear();
      granule.written = 0;
    }
    page->generation = generation;
  }
  return page.get();
}

static void clear(ShadowGranule &granule, uint8_t mask) {
  for (ShadowEntry &entry : granule.entries)
    entry.mask &= ~mask;
  std::erase_if(granule.entries,
                [](const ShadowEntry &entry) { return entry.mask == 0; });
  granule.written &= ~mask;
}

/// Clears [start, end), which lies in `page`.
void Shadow::clear(Page &page, uintptr_t start, uintptr_t end) {
  if (page.generation != generation)
    return;
  for (uintptr_t address = start; address < end;
       address += granuleSize - address % granuleSize)
    ::clear(page.granules[address % pageSize / granuleSize],
            maskOf(address, end));
}

void Shadow::clear(uintptr_t start, uint64_t size) {
  uintptr_t end = start + size;
  uintptr_t first = start / pageSize, last = (end + pageSize - 1) / pageSize;
  auto clearPage = [&](uintptr_t number, Page &page) {
    clear(page, std::max(start, number * pageSize),
          std::min(end, (number + 1) * pageSize));
  };
  // For a large range, iterating over existing pages is faster.
  if (last - first > pages.size()) {
    for (auto &[number, page] : pages)
      if (first <= number && number < last)
        clearPage(number, *page);
    return;
  }
  for (uintptr_t number = first; number < last; ++number)
    if (auto found = pages.find(number); found != pages.end())
      clearPage(number, *found->second);
}
