//===- TaskRecord.h - What a process last did -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A rank of several tells the others which task it runs, so that they can name
// it when they hear nothing more. The record is in memory; where it is a file,
// it is still there when the process was killed.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BASE_TASKRECORD_H
#define SLUICE_BASE_TASKRECORD_H

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

namespace sluice {

/// The task that each worker of a process began last. A worker begins and ends
/// tasks of its own number, any thread reads at any time.
class TaskRecord {
public:
  /// Of this process: in `file`, which is made, or in memory alone where that
  /// is empty or cannot be made. It is never destroyed.
  static TaskRecord &make(const std::string &file);
  /// Of another process, which may have ended; null if there is none.
  static std::unique_ptr<TaskRecord> read(const std::string &file);
  ~TaskRecord();
  TaskRecord(const TaskRecord &) = delete;

  /// Names that `begin` is called with, before it is. What they point to may
  /// go away afterwards. One thread at a time.
  void addName(const char *name);
  /// `point` has `rank` coordinates, at most three.
  void begin(unsigned worker, const char *name, int32_t rank,
             const int64_t *point) {
    if (worker >= maxWorkers)
      return;
    Slot &slot = memory->slots[worker];
    for (int32_t d = 0; d < rank && d < 3; ++d)
      slot.point[d].store(point[d], std::memory_order_relaxed);
    slot.name.store(reinterpret_cast<uintptr_t>(name),
                    std::memory_order_relaxed);
    slot.rank.store(rank, std::memory_order_relaxed);
    slot.isInside.store(1, std::memory_order_relaxed);
  }
  void end(unsigned worker) {
    if (worker < maxWorkers)
      memory->slots[worker].isInside.store(0, std::memory_order_relaxed);
  }

  /// "task 'sweep' at point (1, 2)": one that runs, or else one that ran last;
  /// empty if there was none.
  std::string text() const;
  /// The number of the process.
  int32_t process() const { return memory->process; }

private:
  static constexpr unsigned maxWorkers = 64, maxNames = 128, nameBytes = 56;
  struct alignas(64) Slot {
    std::atomic<uint64_t> name;
    std::atomic<int64_t> point[3];
    std::atomic<int32_t> rank, isInside;
  };
  struct Name {
    std::atomic<uint64_t> pointer;
    char text[nameBytes];
  };
  struct Memory {
    int32_t process;
    std::atomic<uint32_t> numNames;
    Slot slots[maxWorkers];
    Name names[maxNames];
  };
  explicit TaskRecord(Memory *memory) : memory(memory) {}

  Memory *memory;
};

/// The record of this process, or null: nobody wants to know.
inline std::atomic<TaskRecord *> theTaskRecord{nullptr};

} // namespace sluice

#endif // SLUICE_BASE_TASKRECORD_H
