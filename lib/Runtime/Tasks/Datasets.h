//===- Datasets.h - The datasets of a run ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A dataset exists from the start of its first task, when it gets its initial
// values, to the end of its last task.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_TASKS_DATASETS_H
#define SLUICE_RUNTIME_TASKS_DATASETS_H

#include "Bindings/Bindings.h"
#include "DatasetMemory.h"

#include <atomic>

namespace sluice::tasks {

class Datasets {
public:
  /// With `isRecorded`, memory is kept from its first use to the end of the
  /// run, and always has initial values.
  Datasets(std::span<const SluiceTaskData> data, bool keepsAll,
           bool isRecorded = false);
  ~Datasets();

  /// See Memory. With margins, bound arrays are copied.
  Status allocate(bool hasMargins) {
    copiesBound = hasMargins;
    return memory.allocate(data, hasMargins);
  }
  char *address(uint32_t index) const {
    return isInPlace(index) ? bindings[index].memory : memory.address(index);
  }
  /// Must not be called while tasks run.
  void bind(uint32_t index, const Binding &binding) {
    bindings[index] = binding;
  }
  std::span<const Binding> getBindings() const { return bindings; }
  /// True from the start of its first task to the end of its last task.
  bool isInUse(uint32_t index) const {
    return datasets[index].state.load(std::memory_order_acquire) == Used;
  }
  /// Copies the initial values of `index` for later runs; null: the program's
  /// own.
  void setInitial(uint32_t index, const void *values);

  /// Sets whether later runs that keep all datasets keep this one.
  void keep(uint32_t index, bool isKept) {
    datasets[index].isDropped = !isKept;
  }

  /// `numUses`: how often this rank uses each dataset; empty: all tasks run
  /// here.
  void beginRun(std::span<const uint32_t> numUses = {});
  /// Call it before a task uses `index`: fills the dataset on its first use.
  /// Any thread.
  void beginUse(uint32_t index, uint32_t access);
  /// A task that uses `index` has ended.
  void endUse(uint32_t index);
  /// All tasks have ended. Afterwards kept datasets may be read, if the run
  /// succeeded.
  void endRun(bool succeeded);
  /// Releases datasets that were kept only for printing.
  void endPrinting();

private:
  enum State : uint32_t { Unused, Filling, Used, Ended };
  struct Dataset {
    std::atomic<uint32_t> state{Ended};
    std::atomic<uint32_t> usesLeft{0};
    std::unique_ptr<char[]> initial;
    bool isDropped = false;
  };
  /// Whether it is kept until the next run begins.
  bool isForCaller(uint32_t index) const {
    return keepsAll && !datasets[index].isDropped;
  }
  /// Whether it is kept until all tasks have ended.
  bool isKept(uint32_t index) const {
    return isForCaller(index) || isRecorded ||
           data[index].flags & SLUICE_DATA_PRINT;
  }
  /// Tasks work directly in the bound memory.
  bool isInPlace(uint32_t index) const {
    return bindings[index].memory && !copiesBound;
  }
  void fill(uint32_t index, uint32_t access);
  void copyBack(uint32_t index);
  void end(uint32_t index);

  const std::span<const SluiceTaskData> data;
  const bool keepsAll, isRecorded;
  DatasetMemory memory;
  bool copiesBound = false;
  std::vector<Binding> bindings;
  std::unique_ptr<Dataset[]> datasets;
};

/// The hooks of libSluicePython; null without it.
const SluicePythonHooks *pythonHooks();

} // namespace sluice::tasks

#endif // SLUICE_RUNTIME_TASKS_DATASETS_H
