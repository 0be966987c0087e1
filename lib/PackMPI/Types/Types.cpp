//===- Types.cpp - The table of datatypes ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One table, whose lock is never held while MPI is called, and a cache of it
// per thread.
//
//===----------------------------------------------------------------------===//

#include "Types.h"
#include "Decode.h"

#include <climits>
#include <mutex>
#include <unordered_map>

using namespace sluice::mpi;
using namespace sluice::pack;

namespace {
struct Table {
  std::mutex lock;
  std::unordered_map<uintptr_t, TypeRef> types;
  std::unordered_map<int64_t, MPI_Datatype> images;
};
} // namespace

constinit std::atomic<uint64_t> sluice::mpi::removedTypes = 1;
constinit std::atomic<bool> sluice::mpi::isTypeKnown = false;
constinit thread_local CachedType *CachedType::all = nullptr;

static Table &table() {
  // Never destroyed: destructors of static objects may call MPI.
  static Table *instance = new Table;
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

/// Runs of consecutive bytes in one instance.
static int64_t runsOf(const Form &form) {
  int64_t runs = 0;
  switch (form.kind) {
  case FormKind::Empty:
    return 0;
  case FormKind::Block:
  case FormKind::Custom:
    return 1;
  case FormKind::Strided:
    runs = runsOf(*form.children[0]);
    for (const Dimension &dimension : form.dimensions)
      runs *= dimension.count;
    return runs;
  case FormKind::Indexed:
    return runsOf(*form.children[0]) * int64_t(form.offsets.size());
  case FormKind::Runs:
    return int64_t(form.lengths.size());
  case FormKind::Sequence:
    for (const FormRef &child : form.children)
      runs += runsOf(*child);
    return runs;
  }
  return 1;
}

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

static Packing describe(const Layout &layout) {
  Packing result;
  result.packer = Packer::of(layout);
  result.size = layout.size();
  result.extent = layout.extent;
  result.lowest = layout.offset + layout.form->low;
  result.span = layout.form->high - layout.form->low;
  result.meanRun = double(result.size) / double(runsOf(*layout.form));
  result.isRegular = isRegular(*layout.form);
  return result;
}

const Packing *Type::packing(MPI_Datatype type) {
  Verdict now = verdict.load(std::memory_order_acquire);
  if (now == Verdict::Unread) {
    // Outside of the lock, since it calls MPI; two threads may do it at the
    // same time, with equal results.
    std::optional<Decoded> read = decode(type);
    bool taken = read && !hasNoGaps(read->layout);
    if (read && !taken)
      plain.store(true, std::memory_order_release);
    Packing described = taken ? describe(read->layout) : Packing();
    if (taken) {
      described.isMixed = read->isMixed;
      described.element = read->element;
      described.swapBytes = read->swapBytes;
    }
    std::lock_guard guard(lock);
    now = verdict.load(std::memory_order_relaxed);
    if (now == Verdict::Unread) {
      layout = std::move(described);
      now = taken ? Verdict::Taken : Verdict::LeftAlone;
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
  TypeRef &place = table().types[keyOf(type)];
  if (place)
    removedTypes.fetch_add(1, std::memory_order_acq_rel);
  place = std::move(reference);
  isTypeKnown.store(true, std::memory_order_relaxed);
}

void sluice::mpi::rememberType(MPI_Datatype type) {
  if (!isNoObject(type))
    insert(type, std::make_shared<Type>());
}

static TypeRef lookUp(MPI_Datatype type) {
  std::lock_guard guard(table().lock);
  auto found = table().types.find(keyOf(type));
  return found == table().types.end() ? nullptr : found->second;
}

/// MPI's own types are always committed and never freed. They are added to the
/// table to make their next lookup short.
static TypeRef rememberNamed(MPI_Datatype type) {
  if (!isNamed(type))
    return nullptr;
  auto reference = std::make_shared<Type>();
  reference->leaveAlone();
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
    result = std::move(found->second);
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
  std::unordered_map<uintptr_t, TypeRef> all;
  std::lock_guard guard(table().lock);
  all.swap(table().types);
  removedTypes.fetch_add(1, std::memory_order_acq_rel);
}

std::vector<TypeRef> sluice::mpi::allTypes() {
  std::vector<TypeRef> result;
  std::lock_guard guard(table().lock);
  for (const auto &[key, type] : table().types)
    result.push_back(type);
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

bool sluice::mpi::isKnownPlain(MPI_Datatype type) {
  if (type == MPI_DATATYPE_NULL)
    return false;
  if (TypeRef found = lookUp(type); found && !isNoObject(type))
    return found->isPlain() || isNamed(type);
  return isNamed(type);
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
