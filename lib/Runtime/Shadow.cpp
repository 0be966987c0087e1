//===- Shadow.cpp - Who touched which byte --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pages are kept from one graph instance to the next: those of an older
// generation are emptied when they are touched again.
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

void Shadow::clear(uintptr_t start, uint64_t size) {
  uintptr_t end = start + size;
  for (uintptr_t address = start; address < end;) {
    ShadowGranule &granule = at(address);
    uint8_t mask = maskOf(address, end);
    for (ShadowEntry &entry : granule.entries)
      entry.mask &= ~mask;
    std::erase_if(granule.entries,
                  [](const ShadowEntry &entry) { return entry.mask == 0; });
    granule.written &= ~mask;
    address += granuleSize - address % granuleSize;
  }
}
