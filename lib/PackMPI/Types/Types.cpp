//===- Types.cpp - The table of datatypes ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One table, whose lock is never held during MPI calls, and a per-thread cache
// of it.
//
//===----------------------------------------------------------------------===//

#include "Types.h"
#include "../Library/InterposerSettings.h"
#include "Agreement.h"
#include "Decode.h"

#include <climits>
#include <mutex>
#include <unordered_map>

using namespace sluice::mpi;
using namespace sluice::pack;

namespace {
struct Entry {
  TypeRef type;
  /// How many more times the handle must be freed before the last time.
  int lent = 0;
};
struct TypeTable {
  std::mutex lock;
  std::unordered_map<uintptr_t, Entry> types;
  std::unordered_map<int64_t, MPI_Datatype> images;
};
} // namespace

constinit std::atomic<uint64_t> sluice::mpi::removedTypes = 1;
constinit std::atomic<bool> sluice::mpi::isTypeKnown = false;
constinit thread_local CachedType *CachedType::all = nullptr;

static TypeTable &table() {
  // Never destroyed: destructors of static objects may call MPI.
  static TypeTable *instance = new TypeTable;
  return *instance;
}

static CachedType &slotOf(uintptr_t key) {
  struct Freeing {
    ~Freeing() { delete[] std::exchange(CachedType::all, nullptr); }
  };
  if (!CachedType::all) [[unlikely]] {
    CachedType::all = new CachedType[CachedType::count];
    static thread_local Freeing atThreadEnd;
    (void)atThreadEnd;
  }
  return CachedType::all[CachedType::indexOf(key)];
}

//===----------------------------------------------------------------------===//
// Reading layouts
//===----------------------------------------------------------------------===//

static bool isRegular(const Form &form) {
  if (form.kind == FormKind::Strided)
    return isRegular(*form.children[0]);
  return form.kind == FormKind::Block;
}

static bool hasNoGaps(const Layout &layout) {
  return layout.form->kind == FormKind::Empty ||
         (layout.form->kind == FormKind::Block &&
          layout.form->size == layout.extent);
}

/// The same for a predefined type.
static bool hasNoGaps(MPI_Datatype type) {
  MPI_Count size, lower, extent, trueLower, trueExtent;
  return PMPI_Type_size_x(type, &size) == MPI_SUCCESS &&
         PMPI_Type_get_extent_x(type, &lower, &extent) == MPI_SUCCESS &&
         PMPI_Type_get_true_extent_x(type, &trueLower, &trueExtent) ==
             MPI_SUCCESS &&
         size == extent && size == trueExtent;
}

static Packing describe(const Layout &layout) {
  Packing result;
  result.packer = Packer::of(layout);
  result.size = layout.size();
  result.extent = layout.extent;
  result.lowest = layout.offset + layout.form->low;
  result.span = layout.form->high - layout.form->low;
  result.meanRun = double(result.size) / double(layout.form->runs);
  result.isRegular = isRegular(*layout.form);
  return result;
}

Fingerprint Fingerprint::of(MPI_Datatype type) {
  Fingerprint result;
  auto &n = result.numbers;
  int integers = 0, addresses = 0, types = 0, combiner = 0;
  PMPI_Type_size_x(type, &n[0]);
  PMPI_Type_get_extent_x(type, &n[1], &n[2]);
  PMPI_Type_get_true_extent_x(type, &n[3], &n[4]);
#if MPI_VERSION >= 4
  MPI_Count all[4] = {};
  PMPI_Type_get_envelope_c(type, &all[0], &all[1], &all[2], &all[3], &combiner);
  integers = int(all[0]), addresses = int(all[1] + all[2]), types = int(all[3]);
#else
  PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
#endif
  n[5] = combiner;
  n[6] = (int64_t(integers) << 32) + addresses;
  n[7] = types;
  return result;
}

bool Type::isStill(MPI_Datatype type) {
  if (verdict.load(std::memory_order_acquire) == Verdict::Unread)
    return true;
  return fingerprint == Fingerprint::of(type);
}

Reason Type::whyLeft() {
  if (isTold.exchange(true) || counters.uses.load() != 0)
    return Reason::None;
  switch (verdict.load(std::memory_order_acquire)) {
  case Verdict::Unread:
    return sightings.load() ? Reason::Seldom : Reason::None;
  case Verdict::Taken:
    return Reason::AsFast;
  case Verdict::LeftAlone:
    break;
  }
  return reason.load();
}

/// Reads the layout; returns no packer, but a reason, if it stays with MPI.
static Packing read(MPI_Datatype type, Reason &reason) {
  Decoded decoded = decode(type);
  reason = decoded.reason;
  if (reason != Reason::None)
    return {};
  if (hasNoGaps(decoded.layout)) {
    reason = Reason::NoGaps;
    return {};
  }
  // Selecting kernels takes time for each part.
  constexpr int64_t mostParts = 1 << 16;
  if (decoded.layout.form->parts > mostParts) {
    reason = Reason::TooLarge;
    return {};
  }
  Packing result = describe(decoded.layout);
  result.isMixed = decoded.isMixed;
  result.element = decoded.element;
  result.swapBytes = decoded.swapBytes;
  result.hasPadding = decoded.hasPadding;
  result.differsInFiles = decoded.differsInFiles;
  // In the mode for all calls, Sluice need not agree with MPI.
  if (settings().mode != Mode::All &&
      !packsAlike(type, result, decoded.isSuspect)) {
    reason = Reason::OtherOrder;
    return {};
  }
  return result;
}

const Packing *Type::packing(MPI_Datatype type) {
  Verdict now = verdict.load(std::memory_order_acquire);
  if (now == Verdict::Unread) {
    // Outside of the lock, because it calls MPI; two threads may do it at the
    // same time, with equal results.
    Reason why = Reason::None;
    Packing described = read(type, why);
    Fingerprint print = Fingerprint::of(type);
    std::lock_guard guard(lock);
    now = verdict.load(std::memory_order_relaxed);
    if (now == Verdict::Unread) {
      plain.store(why == Reason::NoGaps, std::memory_order_release);
      now = described.packer ? Verdict::Taken : Verdict::LeftAlone;
      layout = std::move(described);
      fingerprint = print;
      reason.store(why);
      verdict.store(now, std::memory_order_release);
    }
  }
  return now == Verdict::Taken ? &layout : nullptr;
}

static bool isMuchData(MPI_Datatype type, int64_t count) {
  constexpr int64_t muchData = 64 << 10;
  MPI_Count size;
  return PMPI_Type_size_x(type, &size) == MPI_SUCCESS &&
         double(size) * double(count) >= muchData;
}

bool Type::isWorthReading(MPI_Datatype type, int64_t count) {
  if (verdict.load(std::memory_order_relaxed) != Verdict::Unread)
    return true;
  int seen = sightings.fetch_add(1, std::memory_order_relaxed);
  if (seen == 0 && !isMuchData(type, count))
    return false;
  int wait = usesToWait.load(std::memory_order_relaxed);
  if (!wait) {
    constexpr int usesOfLongLists = 16;
    wait = isQuickToDecode(type) ? -1 : usesOfLongLists;
    usesToWait.store(wait, std::memory_order_relaxed);
  }
  return seen >= wait;
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static void insert(MPI_Datatype type, TypeRef reference) {
  std::lock_guard guard(table().lock);
  Entry &place = table().types[keyOf(type)];
  if (place.type)
    removedTypes.fetch_add(1, std::memory_order_acq_rel);
  place = {std::move(reference), 0};
  isTypeKnown.store(true, std::memory_order_relaxed);
}

static TypeRef lookUp(MPI_Datatype type) {
  std::lock_guard guard(table().lock);
  auto found = table().types.find(keyOf(type));
  return found == table().types.end() ? nullptr : found->second.type;
}

void sluice::mpi::rememberType(MPI_Datatype type) {
  if (isNoObject(type))
    return;
  // Committing a committed type has no effect.
  if (TypeRef known = lookUp(type); known && known->isStill(type))
    return;
  insert(type, std::make_shared<Type>());
}

void sluice::mpi::rememberLent(MPI_Datatype type) {
  std::lock_guard guard(table().lock);
  auto found = table().types.find(keyOf(type));
  if (found != table().types.end())
    ++found->second.lent;
}

/// MPI's own types are always committed and never freed. They are added to the
/// table to speed up their next lookup.
static TypeRef rememberNamed(MPI_Datatype type) {
  if (!isPredefined(type))
    return nullptr;
  auto reference = std::make_shared<Type>();
  reference->leaveAlone(hasNoGaps(type));
  insert(type, reference);
  return reference;
}

void sluice::mpi::rememberCopy(MPI_Datatype type, MPI_Datatype copy) {
  if (TypeRef reference = lookUp(type))
    insert(copy, std::move(reference));
}

TypeRef sluice::mpi::forgetType(MPI_Datatype type) {
  if (!hasTypes())
    return nullptr;
  TypeRef result;
  {
    std::lock_guard guard(table().lock);
    auto found = table().types.find(keyOf(type));
    if (found == table().types.end())
      return nullptr;
    if (found->second.lent > 0) {
      --found->second.lent;
      return nullptr;
    }
    result = std::move(found->second.type);
    table().types.erase(found);
    removedTypes.fetch_add(1, std::memory_order_acq_rel);
  }
  CachedType &slot = slotOf(keyOf(type));
  if (slot.key == keyOf(type))
    slot = CachedType();
  return result;
}

void sluice::mpi::restoreType(MPI_Datatype type, TypeRef reference) {
  if (reference)
    insert(type, std::move(reference));
}

void sluice::mpi::forgetAllTypes() {
  std::unordered_map<uintptr_t, Entry> all;
  std::lock_guard guard(table().lock);
  all.swap(table().types);
  removedTypes.fetch_add(1, std::memory_order_acq_rel);
}

std::vector<TypeRef> sluice::mpi::allTypes() {
  std::vector<TypeRef> result;
  std::lock_guard guard(table().lock);
  for (const auto &[key, entry] : table().types)
    result.push_back(entry.type);
  return result;
}

const TypeRef *sluice::mpi::findType(MPI_Datatype type) {
  if (isNoObject(type) || !hasTypes())
    return nullptr;
  uintptr_t key = keyOf(type);
  CachedType &slot = slotOf(key);
  uint64_t valid = removedTypes.load(std::memory_order_acquire);
  if (slot.key != key || slot.validFor != valid) [[unlikely]] {
    TypeRef found = lookUp(type);
    if (!found && !(found = rememberNamed(type)))
      return nullptr;
    slot.key = key;
    slot.validFor = valid;
    slot.type = std::move(found);
  }
  slot.isLeftAlone = slot.type->isLeftAlone();
  return slot.isLeftAlone ? nullptr : &slot.type;
}

bool sluice::mpi::isKnownType(MPI_Datatype type) {
  return type != MPI_DATATYPE_NULL && (isPredefined(type) || lookUp(type));
}

bool sluice::mpi::isKnownPlain(MPI_Datatype type) {
  if (type == MPI_DATATYPE_NULL)
    return false;
  if (isNoObject(type))
    return isPredefined(type);
  TypeRef found = lookUp(type);
  if (!found)
    found = rememberNamed(type);
  return found && found->isPlain();
}

//===----------------------------------------------------------------------===//
// Images
//===----------------------------------------------------------------------===//

MPI_Datatype sluice::mpi::imageType(int64_t size) {
  constexpr size_t maxImages = 1024;
  if (size <= 0 || size > INT_MAX)
    return MPI_DATATYPE_NULL;
  {
    std::lock_guard guard(table().lock);
    auto found = table().images.find(size);
    if (found != table().images.end())
      return found->second;
    if (table().images.size() >= maxImages)
      return MPI_DATATYPE_NULL;
  }
  MPI_Datatype made;
  if (PMPI_Type_contiguous(int(size), MPI_BYTE, &made) != MPI_SUCCESS)
    return MPI_DATATYPE_NULL;
  if (native::Type_commit(&made) != MPI_SUCCESS)
    return MPI_DATATYPE_NULL;
  MPI_Datatype kept;
  {
    std::lock_guard guard(table().lock);
    kept = table().images.try_emplace(size, made).first->second;
  }
  if (kept != made)
    native::Type_free(&made);
  return kept;
}

void sluice::mpi::freeImageTypes() {
  std::unordered_map<int64_t, MPI_Datatype> all;
  {
    std::lock_guard guard(table().lock);
    all.swap(table().images);
  }
  for (auto &[size, type] : all)
    native::Type_free(&type);
}
