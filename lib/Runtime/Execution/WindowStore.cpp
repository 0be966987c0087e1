//===- WindowStore.cpp - Reuse of windows ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list is short. A set fits if opening its windows would not map any
// memory.
//
//===----------------------------------------------------------------------===//

#include "WindowStore.h"

#include <algorithm>

using namespace sluice;

static bool fits(const WindowSet &set, std::span<const WindowSize> sizes) {
  return std::equal(
      set.begin(), set.end(), sizes.begin(), sizes.end(),
      [](const std::unique_ptr<RowWindow> &window, const WindowSize &size) {
        return window->fits(size.bytes, size.capacity);
      });
}

WindowSet WindowStore::take(std::span<const WindowSize> sizes) {
  {
    std::lock_guard lock(mutex);
    for (size_t i = idle.size(); i-- != 0;)
      if (fits(idle[i], sizes)) {
        WindowSet found = std::move(idle[i]);
        idle.erase(idle.begin() + static_cast<ptrdiff_t>(i));
        return found;
      }
  }
  WindowSet made;
  for (const WindowSize &size : sizes) {
    made.push_back(std::make_unique<RowWindow>());
    if (!made.back()->open(size.bytes, size.capacity))
      return {};
  }
  return made;
}

void WindowStore::give(WindowSet set) {
  std::lock_guard lock(mutex);
  if (idle.size() == maxIdle)
    idle.erase(idle.begin());
  idle.push_back(std::move(set));
}
