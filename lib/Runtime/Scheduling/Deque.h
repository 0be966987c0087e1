//===- Deque.h - A worker's double-ended queue of tasks -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The work-stealing deque of Chase and Lev ("Dynamic circular work-stealing
// deque", SPAA 2005), with sequentially consistent accesses where the version
// for weak memory (Le et al., PPoPP 2013) has stand-alone fences, which
// ThreadSanitizer misjudges. SchedulerModelTest.cpp tries all orders of its
// accesses.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_SCHEDULING_DEQUE_H
#define SLUICE_RUNTIME_SCHEDULING_DEQUE_H

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace sluice {

/// A work item of the pool: an object, and a number with a meaning for the
/// runner.
struct WorkItem {
  void *object = nullptr;
  uint64_t argument = 0;
  explicit operator bool() const { return object != nullptr; }
};

/// The owner pushes and pops at the bottom; all other threads steal at the top.
template <template <typename> typename Atomic> class BasicTaskDeque {
public:
  explicit BasicTaskDeque(int64_t capacity = 256) { grow(capacity, 0, 0); }
  BasicTaskDeque(const BasicTaskDeque &) = delete;
  BasicTaskDeque &operator=(const BasicTaskDeque &) = delete;

  /// Owner only.
  void push(WorkItem task) {
    int64_t last = bottom.load(std::memory_order_relaxed);
    Buffer *buffer = current.load(std::memory_order_relaxed);
    if (last - knownTop >= buffer->capacity()) {
      knownTop = top.load(std::memory_order_acquire);
      if (last - knownTop >= buffer->capacity())
        buffer = grow(2 * buffer->capacity(), knownTop, last);
    }
    buffer->write(last, task);
    bottom.store(last + 1, std::memory_order_release);
  }

  /// Owner only: the task pushed last, or none.
  WorkItem pop() {
    int64_t last = bottom.load(std::memory_order_relaxed) - 1;
    // `top` only grows, so the deque is certainly empty.
    if (top.load(std::memory_order_relaxed) > last)
      return {};
    Buffer *buffer = current.load(std::memory_order_relaxed);
    bottom.store(last, std::memory_order_seq_cst);
    int64_t first = top.load(std::memory_order_seq_cst);
    if (first > last) {
      bottom.store(last + 1, std::memory_order_relaxed);
      return {};
    }
    WorkItem task = buffer->read(last);
    if (first < last)
      return task;
    if (!top.compare_exchange_strong(first, first + 1,
                                     std::memory_order_seq_cst,
                                     std::memory_order_relaxed))
      task = {};
    bottom.store(last + 1, std::memory_order_relaxed);
    return task;
  }

  /// Any thread: the oldest task, or none (also if another thread was faster).
  WorkItem steal() {
    int64_t first = top.load(std::memory_order_seq_cst);
    int64_t last = bottom.load(std::memory_order_seq_cst);
    if (first >= last)
      return {};
    WorkItem task = current.load(std::memory_order_acquire)->read(first);
    if (!top.compare_exchange_strong(first, first + 1,
                                     std::memory_order_seq_cst,
                                     std::memory_order_relaxed))
      return {};
    return task;
  }

  /// May be outdated when it returns; has no side effects.
  bool looksEmpty() const {
    return bottom.load(std::memory_order_relaxed) <=
           top.load(std::memory_order_relaxed);
  }

private:
  class Buffer {
  public:
    explicit Buffer(int64_t capacity)
        : mask(capacity - 1), slots(std::make_unique<Slot[]>(capacity)) {}
    int64_t capacity() const { return mask + 1; }
    void write(int64_t index, WorkItem task) {
      Slot &slot = slots[index & mask];
      slot.object.store(task.object, std::memory_order_relaxed);
      slot.argument.store(task.argument, std::memory_order_relaxed);
    }
    WorkItem read(int64_t index) const {
      const Slot &slot = slots[index & mask];
      return {slot.object.load(std::memory_order_relaxed),
              slot.argument.load(std::memory_order_relaxed)};
    }

  private:
    struct Slot {
      Atomic<void *> object{nullptr};
      Atomic<uint64_t> argument{0};
    };
    int64_t mask;
    std::unique_ptr<Slot[]> slots;
  };

  /// Old buffers are freed only with the deque, since other threads may still
  /// read them to steal.
  Buffer *grow(int64_t capacity, int64_t first, int64_t last) {
    auto bigger = std::make_unique<Buffer>(capacity);
    if (Buffer *old = current.load(std::memory_order_relaxed))
      for (int64_t index = first; index < last; ++index)
        bigger->write(index, old->read(index));
    buffers.push_back(std::move(bigger));
    current.store(buffers.back().get(), std::memory_order_release);
    return buffers.back().get();
  }

  // Idle workers read both, so both are in one cache line, which the owner gets
  // back at once.
  alignas(64) Atomic<int64_t> top{0};
  Atomic<int64_t> bottom{0};
  int64_t knownTop = 0;
  Atomic<Buffer *> current{nullptr};
  std::vector<std::unique_ptr<Buffer>> buffers;
};

using TaskDeque = BasicTaskDeque<std::atomic>;

} // namespace sluice

#endif // SLUICE_RUNTIME_SCHEDULING_DEQUE_H
