//===- CHandles.cpp - The layouts of C programs ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Slots are in chunks that are never moved or freed, so looking one up takes
// only the slot's own lock.
//
//===----------------------------------------------------------------------===//

#include "CHandles.h"
#include "sluice/Base/Text.h"

#include <array>
#include <atomic>
#include <mutex>

using namespace farc;
using sluice::concat;

static_assert(sizeof(void *) == 8, "handles are 64-bit numbers");

namespace {
constexpr uint64_t mark = 0x5350;
constexpr uint64_t partMask = (1 << 24) - 1;
constexpr uint64_t slotsPerChunk = 1 << 12;

struct Slot {
  std::mutex mutex;
  SharedType type;
  uint64_t generation = 0;
};

class LayoutHandles {
public:
  LPK_Datatype add(SharedType type);
  /// The slot for the handle, whatever it contains; null if there is none.
  Slot *find(LPK_Datatype handle);
  void recycle(uint64_t index);

private:
  uint64_t takeIndex();
  Slot &slotAt(uint64_t index) {
    return chunks[index / slotsPerChunk].load()[index % slotsPerChunk];
  }

  std::array<std::atomic<Slot *>, (partMask + 1) / slotsPerChunk> chunks{};
  std::mutex mutex;
  std::vector<uint64_t> freeIndices;
  uint64_t numUsed = 0;
};
} // namespace

/// Lives until the process ends: threads may use handles until then.
static LayoutHandles &table() {
  static LayoutHandles &instance = *new LayoutHandles;
  return instance;
}

static uint64_t bitsOf(const void *handle) {
  return reinterpret_cast<uint64_t>(handle);
}

static uint64_t indexOf(LPK_Datatype handle) {
  return bitsOf(handle) & partMask;
}

static uint64_t generationOf(LPK_Datatype handle) {
  return bitsOf(handle) >> 24 & partMask;
}

bool farc::looksLikeHandle(const void *value) {
  return bitsOf(value) >> 48 == mark;
}

uint64_t LayoutHandles::takeIndex() {
  std::lock_guard lock(mutex);
  if (!freeIndices.empty()) {
    uint64_t index = freeIndices.back();
    freeIndices.pop_back();
    return index;
  }
  if (numUsed > partMask)
    throw std::bad_alloc();
  if (numUsed % slotsPerChunk == 0)
    chunks[numUsed / slotsPerChunk] = new Slot[slotsPerChunk];
  return numUsed++;
}

LPK_Datatype LayoutHandles::add(SharedType type) {
  uint64_t index = takeIndex();
  Slot &slot = slotAt(index);
  std::lock_guard lock(slot.mutex);
  slot.type = std::move(type);
  uint64_t bits = mark << 48 | slot.generation << 24 | index;
  return reinterpret_cast<LPK_Datatype>(bits);
}

Slot *LayoutHandles::find(LPK_Datatype handle) {
  if (!looksLikeHandle(handle))
    return nullptr;
  uint64_t index = indexOf(handle);
  Slot *chunk = chunks[index / slotsPerChunk].load();
  return chunk ? &chunk[index % slotsPerChunk] : nullptr;
}

void LayoutHandles::recycle(uint64_t index) {
  std::lock_guard lock(mutex);
  freeIndices.push_back(index);
}

[[noreturn]] static void refuse(LPK_Datatype handle) {
  if (!handle)
    throw HandleError("the layout is LPK_DATATYPE_NULL");
  throw HandleError(concat("the handle ", static_cast<const void *>(handle),
                           " is no layout: it was freed, or never made"));
}

namespace {
/// The slot of a valid handle, locked.
struct LockedSlot {
  explicit LockedSlot(LPK_Datatype handle) : slot(table().find(handle)) {
    if (!slot)
      refuse(handle);
    lock = std::unique_lock(slot->mutex);
    if (!slot->type || slot->generation != generationOf(handle))
      refuse(handle);
  }
  Slot *slot;
  std::unique_lock<std::mutex> lock;
};
} // namespace

LPK_Datatype farc::addHandle(std::unique_ptr<Datatype> type) {
  return table().add(std::move(type));
}

SharedType farc::typeOf(LPK_Datatype handle) {
  return LockedSlot(handle).slot->type;
}

void farc::replaceType(LPK_Datatype handle, SharedType type) {
  // The old layout may be the last of its kind and is freed after the lock.
  LockedSlot locked(handle);
  locked.slot->type.swap(type);
  locked.lock.unlock();
}

void farc::removeHandle(LPK_Datatype handle) {
  LockedSlot locked(handle);
  SharedType type;
  locked.slot->type.swap(type);
  // A slot with no generations left is never reused.
  bool isReusable = ++locked.slot->generation <= partMask;
  locked.lock.unlock();
  if (isReusable)
    table().recycle(indexOf(handle));
}
