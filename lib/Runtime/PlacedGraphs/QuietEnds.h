//===- QuietEnds.h - Ends that devices are not asked to report ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device that reports an end wakes a thread of the driver, which wakes a
// worker, which wakes the waiting thread. This costs more than small kernels.
// So when the remainder of a launch is in progress on one device, no report is
// requested: a thread that waits for the launch waits for the device.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_PLACEDGRAPHS_QUIETENDS_H
#define SLUICE_RUNTIME_PLACEDGRAPHS_QUIETENDS_H

#include <cstdint>
#include <mutex>
#include <vector>

namespace sluice {

class GraphInstance;
class MemoryTracker;

/// The end of a graph instance that a device has not been asked to report.
class QuietEnd {
public:
  virtual ~QuietEnd() = default;
  /// Makes the device report it.
  virtual void report() = 0;
  /// Waits for it in this thread.
  virtual void waitHere() = 0;
};

/// The instances with unreported ends. Any thread may call the functions.
class QuietEnds {
public:
  /// `tracker` knows whether instances wait for the memory of others.
  explicit QuietEnds(MemoryTracker &tracker) : tracker(tracker) {}

  /// Returns false if a thread may wait for the end without knowing of it, so
  /// that it must be reported. True: whoever takes it handles it.
  bool add(GraphInstance &instance, QuietEnd &end);
  /// The end of an instance that was added, or null.
  QuietEnd *take(const GraphInstance &instance);
  /// Makes all ends be reported; call it after a thread began to wait.
  void reportAll();
  size_t size() {
    std::lock_guard lock(mutex);
    return entries.size();
  }

  /// While an object exists, all ends are reported.
  class Watch {
  public:
    explicit Watch(QuietEnds &ends) : ends(ends) {
      {
        std::lock_guard lock(ends.mutex);
        ++ends.numWatches;
      }
      ends.reportAll();
    }
    ~Watch() {
      std::lock_guard lock(ends.mutex);
      --ends.numWatches;
    }
    Watch(const Watch &) = delete;
    Watch &operator=(const Watch &) = delete;

  private:
    QuietEnds &ends;
  };

private:
  struct Entry {
    const GraphInstance *instance;
    QuietEnd *end;
  };
  MemoryTracker &tracker;
  std::mutex mutex;
  std::vector<Entry> entries;
  uint32_t numWatches = 0;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_PLACEDGRAPHS_QUIETENDS_H
