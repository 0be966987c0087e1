//===- Roots.cpp - The memory of a program over regions -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks of roots, and allocation of their memory.
//
//===----------------------------------------------------------------------===//

#include "Roots.h"

#include "../Checks/FieldRanges.h"

#include "sluice/Base/Text.h"

#include <sys/mman.h>
#include <unistd.h>

using namespace sluice;
using namespace sluice::regions;

const char *sluice::regions::typeName(SluiceElementType type) {
  static constexpr const char *names[] = {"i8",  "i16", "i32",
                                          "i64", "f32", "f64"};
  return names[type];
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static constexpr uint64_t largePage = uint64_t(1) << 21;

/// False if a program cannot access most of so many bytes.
static bool fitsMachine(uint64_t bytes) {
  static const uint64_t all =
      uint64_t(::sysconf(_SC_PHYS_PAGES)) * uint64_t(::sysconf(_SC_PAGESIZE));
  return bytes <= all;
}

Result<FieldMemory> FieldMemory::allocate(uint64_t bytes, uint64_t offset,
                                          Pages pages) {
  FieldMemory memory;
  bool isLarge = bytes >= 2 * largePage;
  const uint64_t margin = FieldRanges::margin();
  uint64_t total = bytes + offset + (isLarge ? largePage : 0) + 2 * margin;
  void *mapping = MAP_FAILED;
  if (total >= bytes)
    mapping = ::mmap(nullptr, total, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED)
    return Status::error(StatusCode::Exhausted,
                         concat("no memory for ", bytes, " bytes"));
  memory.mapping = mapping;
  memory.mappedBytes = total;
  if (margin)
    FieldRanges::add(mapping, total);
  auto base = reinterpret_cast<uintptr_t>(mapping) + margin;
  if (isLarge) {
    base = (base + largePage - 1) & ~(largePage - 1);
    // A hint: pages stay small if the system has no large ones. If all pages
    // were large, so would be those of few elements.
    (void)::madvise(reinterpret_cast<void *>(base), bytes + offset,
                    pages == Pages::Large && fitsMachine(bytes)
                        ? MADV_HUGEPAGE
                        : MADV_NOHUGEPAGE);
  }
  memory.start = reinterpret_cast<char *>(base) + offset;
  return memory;
}

FieldMemory FieldMemory::borrow(void *memory) {
  FieldMemory borrowed;
  borrowed.start = static_cast<char *>(memory);
  return borrowed;
}

void FieldMemory::useLargePages(const Runs &touched,
                                uint64_t elementBytes) const {
  if (mappedBytes < 2 * largePage)
    return;
  const auto first = reinterpret_cast<uintptr_t>(start);
  auto use = [](uintptr_t begin, uintptr_t end) {
    begin = (begin + largePage - 1) & ~(largePage - 1);
    end &= ~(largePage - 1);
    if (begin < end && fitsMachine(end - begin))
      (void)::madvise(reinterpret_cast<void *>(begin), end - begin,
                      MADV_HUGEPAGE);
  };
  // Almost without gaps.
  constexpr uint64_t maxGap = 16;
  uintptr_t begin = first, end = first;
  for (const SluiceRun &run : touched) {
    const uintptr_t next = first + run.begin * elementBytes;
    const uint64_t length = (run.end - run.begin) * elementBytes;
    if ((next - end) * maxGap > length) {
      use(begin, end);
      begin = next;
    }
    end = next + length;
  }
  use(begin, end);
}

FieldMemory::~FieldMemory() {
  if (!mapping)
    return;
  FieldRanges::remove(mapping);
  ::munmap(mapping, mappedBytes);
}

//===----------------------------------------------------------------------===//
// Roots
//===----------------------------------------------------------------------===//

template <typename Value> static int64_t load(const void *base, int64_t index) {
  return static_cast<const Value *>(base)[index];
}

int64_t sluice::regions::readInteger(const void *base, SluiceElementType type,
                                     int64_t position) {
  switch (type) {
  case SLUICE_I8:
    return load<int8_t>(base, position);
  case SLUICE_I16:
    return load<int16_t>(base, position);
  case SLUICE_I32:
    return load<int32_t>(base, position);
  default:
    return load<int64_t>(base, position);
  }
}

static Status checkExtents(const char *name, int32_t rank,
                           const int64_t *extents) {
  if (rank < 1 || rank > SLUICE_MAX_RANK)
    return Status::invalidArgument(concat("root ", quoted(name), " has rank ",
                                          rank, ", expected 1 to ",
                                          SLUICE_MAX_RANK));
  int64_t count = 1;
  for (int d = 0; d < rank; ++d) {
    if (extents[d] < 1)
      return Status::invalidArgument(
          concat("root ", quoted(name), " has extent ", extents[d],
                 " in dimension ", d, ", expected at least 1"));
    if (__builtin_mul_overflow(count, extents[d], &count))
      return Status::invalidArgument(
          concat("root ", quoted(name), " has more than 2^63 elements"));
  }
  return {};
}

static Status checkField(const char *root, const SluiceField &field) {
  if (!field.name)
    return Status::invalidArgument(
        concat("a field of root ", quoted(root), " has no name"));
  if (field.type < SLUICE_I8 || field.type > SLUICE_F64)
    return Status::invalidArgument(
        concat("field ", quoted(field.name), " of root ", quoted(root),
               " has type ", static_cast<int>(field.type), ", expected 0 to ",
               static_cast<int>(SLUICE_F64)));
  if (field.count < 1)
    return Status::invalidArgument(concat("field ", quoted(field.name),
                                          " of root ", quoted(root),
                                          " has 0 values per element"));
  return {};
}

void *Root::base(uint32_t field) const {
  int64_t first = 0;
  for (int d = 0; d < shape.rank; ++d)
    first += stored.lower[d] * stride(d);
  // As an integer, because it may be before the memory.
  return reinterpret_cast<void *>(
      reinterpret_cast<uintptr_t>(fields[field].memory.get()) -
      first * fields[field].elementBytes());
}

Runs Root::indicesOf(const Runs &positions) const {
  if (isWhole())
    return positions;
  Runs indices;
  for (const SluiceRun &run : positions) {
    int64_t at[SLUICE_MAX_RANK], begin = 0;
    shape.coordinates(run.begin, at);
    for (int d = 0; d < SLUICE_MAX_RANK; ++d)
      begin += at[d] * stride(d);
    if (!indices.empty() && indices.back().end == begin)
      indices.back().end += run.end - run.begin;
    else
      indices.push_back({begin, begin + run.end - run.begin});
  }
  return indices;
}

Result<FieldMemory> sluice::regions::allocateField(const Root &root,
                                                   uint32_t field,
                                                   const Box &box,
                                                   Pages pages) {
  const Field &wanted = root.fields[field];
  uint64_t bytes;
  const bool isHuge =
      __builtin_mul_overflow(box.count(), wanted.elementBytes(), &bytes);
  Result<FieldMemory> memory = FieldMemory::allocate(
      isHuge ? UINT64_MAX : bytes, 64 * 9 * ((root.index + field) % 7), pages);
  if (memory.ok())
    return memory;
  const bool isPart = !(box == Box::whole(root.shape));
  return Status::error(
      StatusCode::Exhausted,
      concat("no memory for field ", quoted(wanted.name), " of root ",
             quoted(root.name), " with extents ", root.shape.text(), " of ",
             wanted.elementBytes(), " bytes",
             isPart
                 ? concat(", of which this rank has ", box.count(), " elements")
                 : std::string()));
}

Result<std::unique_ptr<Root>>
sluice::regions::makeRoot(const char *name, uint32_t index, int32_t rank,
                          const int64_t *extents, uint32_t numFields,
                          const SluiceField *fields, Pages pages) {
  if (Status status = checkExtents(name, rank, extents); !status.ok())
    return status;
  if (numFields < 1 || numFields > 64)
    return Status::invalidArgument(concat("root ", quoted(name), " has ",
                                          numFields,
                                          " fields, expected 1 to 64"));
  auto root = std::make_unique<Root>();
  root->name = name;
  root->index = index;
  root->shape.rank = rank;
  std::copy_n(extents, rank, root->shape.extent);
  root->stored = Box::whole(root->shape);
  for (uint32_t i = 0; i < numFields; ++i) {
    if (Status status = checkField(name, fields[i]); !status.ok())
      return status;
    Field &field = root->fields.emplace_back();
    field.name = fields[i].name;
    field.type = fields[i].type;
    field.count = fields[i].count;
    Result<FieldMemory> memory = allocateField(*root, i, root->stored, pages);
    if (!memory.ok())
      return memory.takeStatus();
    field.memory = std::move(*memory);
  }
  return root;
}
