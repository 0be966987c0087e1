//===- DatasetMemory.h - The memory of a run's datasets -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All addresses are fixed when a run starts, because the plan's arguments are
// addresses. But memory is only used from the first access to the last: large
// datasets are mapped without pages, and lose their pages afterwards. Small
// datasets lie side by side in one block.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_TASKS_DATASETMEMORY_H
#define SLUICE_RUNTIME_TASKS_DATASETMEMORY_H

#include "sluice-c/TaskProgram.h"
#include "sluice/Base/Status.h"

#include <memory>
#include <span>
#include <vector>

namespace sluice::tasks {

/// Memory for each dataset of a program, aligned to 64 bytes.
class DatasetMemory {
public:
  /// Datasets of at least this size have their own pages.
  static constexpr uint64_t minMapped = uint64_t(1) << 16;

  DatasetMemory() = default;
  DatasetMemory(const DatasetMemory &) = delete;
  DatasetMemory &operator=(const DatasetMemory &) = delete;
  ~DatasetMemory();

  /// Size of the unused memory before and after each dataset, if requested.
  static constexpr uint64_t margin = uint64_t(1) << 16;

  /// Call it once. An error names the dataset for which there is no memory.
  Status allocate(std::span<const SluiceTaskData> data,
                  bool hasMargins = false);
  char *address(uint32_t data) const { return places[data].address; }

  /// Call it before the first access in a run. Returns true if the memory is
  /// zero.
  bool beginUse(uint32_t data);
  /// Call it after the last use: returns the pages, unless few enough are kept
  /// in this process for later runs.
  void endUse(uint32_t data);

  /// Sets how many bytes of unused datasets a process keeps; for tests.
  static void setKeptBytesLimit(uint64_t bytes);
  static uint64_t keptBytes();

private:
  struct Place {
    char *address = nullptr;
    /// Its mapping; null: it is in the block.
    void *mapping = nullptr;
    uint64_t mappedBytes = 0;
    uint64_t size = 0;
    bool isZero = true;
    bool isKept = false;
  };
  Status allocateBlock(std::span<const SluiceTaskData> data, uint64_t gap);
  static bool map(Place &place, uint32_t number, uint64_t gap);
  void stopKeeping(Place &place);

  struct Free {
    void operator()(void *block) const;
  };
  std::unique_ptr<void, Free> block;
  std::vector<Place> places;
};

} // namespace sluice::tasks

#endif // SLUICE_RUNTIME_TASKS_DATASETMEMORY_H
