//===- Handles.cpp - Handles of graphs that cannot dangle -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pages of objects, so that a growing table never moves an entry.
//
//===----------------------------------------------------------------------===//

#include "Handles.h"

using namespace sluice;

HandleTable::~HandleTable() {
  for (uint32_t i = 0; i < size(); ++i)
    delete &at(i);
  for (std::atomic<Page *> &page : pages)
    delete page.load(std::memory_order_relaxed);
}

Handled *HandleTable::add(std::unique_ptr<Handled> object) {
  std::lock_guard lock(mutex);
  uint32_t index = count.load(std::memory_order_relaxed);
  if (index == pageSize * numPages - 1)
    return nullptr;
  std::atomic<Page *> &page = pages[index / pageSize];
  if (!page.load(std::memory_order_relaxed))
    page.store(new Page(), std::memory_order_release);
  object->index = index;
  page.load(std::memory_order_relaxed)->objects[index % pageSize] =
      object.get();
  count.store(index + 1, std::memory_order_release);
  return object.release();
}
