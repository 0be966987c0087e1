//===- RootLayouts.cpp - A rank's memory for its part of the roots --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A rank has only the elements that its own points access, except for folds and
// for whole roots that are copied or filled.
//
//===----------------------------------------------------------------------===//

#include "RootLayouts.h"

using namespace sluice;
using namespace sluice::regions;

/// Smaller fields use about as much memory either way.
static constexpr uint64_t leastBytes = uint64_t(4) << 20;

bool RootLayouts::matters(const Root &root) const {
  if (compact == Compact::Always && root.shape.rank > 1)
    return true;
  return std::any_of(root.fields.begin(), root.fields.end(),
                     [&](const Field &field) {
                       return static_cast<uint64_t>(root.shape.count()) >=
                              leastBytes / field.elementBytes();
                     });
}

void RootLayouts::collect(const Sequence &sequence, const Homes &homes,
                          uint32_t rank,
                          std::map<const Root *, Touched> &touched) const {
  for (const Item &item : sequence) {
    if (item.loop) {
      collect(item.loop->body, homes, rank, touched);
      continue;
    }
    const Statement &statement = *item.statement;
    std::vector<uint32_t> points;
    if (!statement.isDivisible)
      points = homes.pointsOf(statement, rank);
    for (const StatementArgument &argument : statement.arguments) {
      if (!matters(*argument.root))
        continue;
      Touched &found = touched[argument.root];
      // Sums may be folded on ranks that need nothing else of the root.
      found.isOther |= statement.isDivisible || argument.isReduction();
      for (uint32_t point : points)
        found.colors.insert({argument.partition, argument.colorOf(point)});
    }
  }
}

/// The size of the pages that contain these elements of a field.
static uint64_t bytesOfPages(const Runs &touched, uint64_t elementBytes) {
  constexpr uint64_t pageBytes = 4096;
  uint64_t count = 0, next = 0;
  for (const SluiceRun &run : touched) {
    const uint64_t first = std::max(next, run.begin * elementBytes / pageBytes);
    const uint64_t end = (run.end * elementBytes - 1) / pageBytes + 1;
    count += end - std::min(first, end);
    next = std::max(next, end);
  }
  return count * pageBytes;
}

/// The box to keep in memory.
Box RootLayouts::choose(const Root &root, const Runs &touched) const {
  constexpr uint64_t leastSaved = uint64_t(16) << 20;
  const Box whole = Box::whole(root.shape);
  if (touched.empty())
    return whole;
  const Box box = ElementSet(root.shape, touched).bounds();
  if (compact == Compact::Always)
    return box;
  uint64_t compactBytes = 0, pageBytes = 0;
  for (const Field &field : root.fields) {
    compactBytes += box.count() * field.elementBytes();
    pageBytes += bytesOfPages(touched, field.elementBytes());
  }
  const bool pays = compactBytes + leastSaved <= pageBytes &&
                    compactBytes <= pageBytes - pageBytes / 8;
  return pays ? box : whole;
}

/// The index of an element in a box.
static int64_t indexIn(const Shape &shape, const Box &box, int64_t position) {
  int64_t at[SLUICE_MAX_RANK], index = 0;
  shape.coordinates(position, at);
  for (int d = 0; d < SLUICE_MAX_RANK; ++d)
    index = index * (box.upper[d] - box.lower[d]) + at[d] - box.lower[d];
  return index;
}

/// `held`: the elements that must keep their values. Contiguous elements of the
/// root are contiguous in every box that contains them.
static Status moveTo(Root &root, const Box &box, const Runs &held) {
  const Pages pages =
      box == Box::whole(root.shape) ? Pages::Small : Pages::Large;
  std::vector<FieldMemory> moved;
  for (uint32_t field = 0; field < root.fields.size(); ++field) {
    Result<FieldMemory> memory = allocateField(root, field, box, pages);
    if (!memory.ok())
      return memory.takeStatus();
    moved.push_back(std::move(*memory));
  }
  for (uint32_t field = 0; field < root.fields.size(); ++field) {
    const uint64_t bytes = root.fields[field].elementBytes();
    const auto *from =
        static_cast<const char *>(root.fields[field].memory.get());
    auto *to = static_cast<char *>(moved[field].get());
    for (const SluiceRun &run : held)
      std::memcpy(to + indexIn(root.shape, box, run.begin) * bytes,
                  from + indexIn(root.shape, root.stored, run.begin) * bytes,
                  (run.end - run.begin) * bytes);
    // Frees each old field as soon as its values have moved, so that no two
    // fields exist twice.
    root.fields[field].memory = FieldMemory();
    std::swap(root.fields[field].memory, moved[field]);
  }
  root.stored = box;
  return {};
}

static bool isWithin(const Box &inner, const Box &outer) {
  return inner.intersect(outer) == inner;
}

Status RootLayouts::prepare(Roots roots, const Sequence &graph,
                            const Homes &homes, uint32_t rank) {
  if (std::none_of(roots.begin(), roots.end(),
                   [&](const auto &root) { return matters(*root); }))
    return {};
  std::map<const Root *, Touched> touched;
  collect(graph, homes, rank, touched);
  for (const auto &root : roots) {
    auto found = touched.find(root.get());
    if (found == touched.end())
      continue;
    Known &before = known[root.get()];
    Runs runs = before.runs;
    for (const auto &[partition, color] : found->second.colors)
      partition->sets[color].forEachRun(root->shape,
                                        [&](int64_t begin, int64_t end) {
                                          runs.push_back({begin, end});
                                        });
    normalize(runs);
    if (found->second.isOther)
      if (Status status = keepWhole(*root); !status.ok())
        return status;
    if (!before.staysWhole && root->shape.rank > 1 &&
        compact != Compact::Never) {
      const Box box = choose(*root, runs);
      const bool hasRoom =
          runs.empty() ||
          (!root->isWhole() &&
           isWithin(ElementSet(root->shape, runs).bounds(), root->stored));
      if (!hasRoom && !(box == root->stored))
        if (Status status = moveTo(*root, box, before.runs); !status.ok())
          return status;
    }
    if (root->isWhole())
      for (const Field &field : root->fields)
        field.memory.useLargePages(runs, field.elementBytes());
    before.runs = std::move(runs);
  }
  return {};
}

Status RootLayouts::keepWhole(Root &root) {
  Known &before = known[&root];
  before.staysWhole = true;
  if (root.isWhole())
    return {};
  return moveTo(root, Box::whole(root.shape), before.runs);
}
