//===- WindowStore.h - Windows that are used again --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mapping memory takes long, and fresh pages are not in any cache, so the
// windows of a launch serve the next ones of the same sizes.
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

/// What a window stands for, and what it must hold.
struct WindowSize {
  uint64_t bytes = 0, capacity = 0;
};

/// Any thread.
class WindowStore {
public:
  /// One window for each size; empty if there is no address space.
  WindowSet take(std::span<const WindowSize> sizes);
  void give(WindowSet set);

private:
  static constexpr size_t maxIdle = 64;

  std::mutex mutex;
  /// Those given last are the last.
  std::vector<WindowSet> idle;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_EXECUTION_WINDOWSTORE_H
