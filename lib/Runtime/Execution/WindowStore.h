//===- WindowStore.h - Reuse of windows -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mapping memory takes long, and fresh pages are not in any cache. So the
// windows of a launch are reused by later launches with the same sizes.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_EXECUTION_WINDOWSTORE_H
#define SLUICE_RUNTIME_EXECUTION_WINDOWSTORE_H

#include "../KernelMemory/RowWindow.h"

#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace sluice {

/// The windows of one region.
using WindowSet = std::vector<std::unique_ptr<RowWindow>>;

/// The size of the memory behind a window, and of the window.
struct WindowSize {
  uint64_t bytes = 0, capacity = 0;
};

/// Thread-safe.
class WindowStore {
public:
  /// One window for each size; empty if there is not enough address space.
  WindowSet take(std::span<const WindowSize> sizes);
  void give(WindowSet set);

private:
  static constexpr size_t maxIdle = 64;

  std::mutex mutex;
  /// The most recently returned sets come last.
  std::vector<WindowSet> idle;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_EXECUTION_WINDOWSTORE_H
