//===- Handles.h - Handles of graphs that cannot dangle -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host programs do not hold addresses, but an index and a generation:
//
//   63            24 23           0
//   +---------------+-------------+
//   |  generation   |  index + 1  |
//   +---------------+-------------+
//
// so stale or invented handles are always detected. Objects behind handles are
// reused and never freed before the runtime ends.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_ENGINE_HANDLES_H
#define SLUICE_RUNTIME_ENGINE_HANDLES_H

#include "../Scheduling/OwnedMutex.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

namespace sluice {

/// An object with a handle. Odd generations are alive.
class Handled {
public:
  enum class Kind { Launch, Stream };
  explicit Handled(Kind kind) : kind(kind) {}
  virtual ~Handled() = default;

  const Kind kind;
  /// Whether a live object may still have work to do.
  virtual bool isRunning() = 0;

  void *handle() const {
    uint64_t current = generation.load(std::memory_order_relaxed);
    return reinterpret_cast<void *>(
        static_cast<uintptr_t>(current << 24 | (index + 1)));
  }
  /// Makes the next handle valid.
  void makeAlive() {
    generation.store(generation.load(std::memory_order_relaxed) + 1,
                     std::memory_order_release);
  }
  bool isAlive() const {
    return generation.load(std::memory_order_acquire) & 1;
  }
  uint32_t tableIndex() const { return index; }

private:
  friend class HandleTable;
  std::atomic<uint64_t> generation{0};
  uint32_t index = 0;
};

/// All objects with handles, alive or not. Lookups take no lock.
class HandleTable {
public:
  ~HandleTable();

  /// Takes ownership; null if there are already 2^24 objects.
  Handled *add(std::unique_ptr<Handled> object);
  Handled &at(uint32_t index) const {
    return *pages[index / pageSize]
                .load(std::memory_order_acquire)
                ->objects[index % pageSize];
  }
  /// The object of a valid handle, or null.
  Handled *find(const void *handle) const {
    auto bits = static_cast<uint64_t>(reinterpret_cast<uintptr_t>(handle));
    uint64_t position = bits & 0xffffff, generation = bits >> 24;
    if (position == 0 || position > size() || !(generation & 1))
      return nullptr;
    Handled &object = at(static_cast<uint32_t>(position - 1));
    return object.generation.load(std::memory_order_acquire) == generation
               ? &object
               : nullptr;
  }
  /// Invalidates the handle, by which `object` was found; false if another
  /// thread has already done so.
  bool claim(Handled &object, const void *handle) {
    uint64_t generation =
        static_cast<uint64_t>(reinterpret_cast<uintptr_t>(handle)) >> 24;
    std::lock_guard lock(claims);
    if (object.generation.load(std::memory_order_acquire) != generation)
      return false;
    object.generation.store(generation + 1, std::memory_order_release);
    return true;
  }
  uint32_t size() const { return count.load(std::memory_order_acquire); }

private:
  static constexpr uint32_t pageSize = 4096, numPages = 4096;
  struct Page {
    Handled *objects[pageSize];
  };
  std::mutex mutex;
  /// Most handles are claimed by the thread that made the table; for this
  /// thread no atomic read-modify-write is needed.
  OwnedMutex claims;
  std::atomic<uint32_t> count{0};
  std::atomic<Page *> pages[numPages] = {};
};

} // namespace sluice

#endif // SLUICE_RUNTIME_ENGINE_HANDLES_H
