//===- TaskRecord.h - The last tasks of a process -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each of several ranks publishes which task it runs, so that other ranks can
// name the task when the rank stops responding. The record is in memory. If the
// memory is a mapped file, the record survives a killed process.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BASE_TASKRECORD_H
#define SLUICE_BASE_TASKRECORD_H

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

namespace sluice {

/// The last task that each worker of a process began. A worker begins and ends
/// only tasks under its own number; any thread may read at any time.
class TaskRecord {
public:
  /// The record of this process: in `file`, which is created, or in memory
  /// alone if `file` is empty or cannot be created. The record is never
  /// destroyed.
  static TaskRecord &make(const std::string &file);
  /// The record of another process, which may have ended; null if there is
  /// none.
  static std::unique_ptr<TaskRecord> read(const std::string &file);
  ~TaskRecord();
  TaskRecord(const TaskRecord &) = delete;

  /// Registers a name before `begin` is called with it. The string may be freed
  /// afterwards. Only one thread at a time may call this.
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

  /// "task 'sweep' at point (1, 2)": a running task, or else the task that ran
  /// last; empty if there was none.
  std::string text() const;
  /// The process ID.
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

/// The record of this process, or null if nobody needs it.
inline std::atomic<TaskRecord *> theTaskRecord{nullptr};

} // namespace sluice

#endif // SLUICE_BASE_TASKRECORD_H
