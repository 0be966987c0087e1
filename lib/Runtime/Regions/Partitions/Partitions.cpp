//===- Partitions.cpp - Colors of a root and their elements ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Partitions by shape, by the user's function, and by set operations.
//
//===----------------------------------------------------------------------===//

#include "Partitions.h"

#include "SegmentIndex.h"

#include "sluice/Base/Text.h"

using namespace sluice;
using namespace sluice::regions;

std::string RegionPartition::text() const {
  return concat(quoted(name), " of root ", quoted(root->name));
}

static SluiceDomain domainOf(const Shape &shape, const ElementSet &set) {
  SluiceDomain domain = {};
  domain.rank = shape.rank;
  for (int d = 0; d < SLUICE_MAX_RANK; ++d) {
    domain.lower[d] = set.bounds().lower[d];
    // An empty set has no elements in its unused dimensions either.
    domain.upper[d] = d < shape.rank ? set.bounds().upper[d] : 1;
    domain.stride[d] = d < shape.rank ? shape.stride(d) : 0;
  }
  domain.count = set.size();
  if (!set.isBox()) {
    domain.runs = set.storedRuns().data();
    domain.numRuns = static_cast<int64_t>(set.storedRuns().size());
  }
  return domain;
}

void sluice::regions::finishPartition(RegionPartition &partition) {
  partition.domains.reserve(partition.sets.size());
  for (const ElementSet &set : partition.sets)
    partition.domains.push_back(domainOf(partition.root->shape, set));
}

PartitionPointer sluice::regions::makeWhole(const Root &root, std::string name,
                                            ElementSet set) {
  auto partition = std::make_unique<RegionPartition>();
  partition->name = std::move(name);
  partition->root = &root;
  partition->parent = set;
  partition->sets.push_back(std::move(set));
  partition->isDisjoint = true;
  finishPartition(*partition);
  return partition;
}

PartitionPointer sluice::regions::makePieces(const Root &root, std::string name,
                                             const ElementSet &set,
                                             int64_t count) {
  auto partition = std::make_unique<RegionPartition>();
  partition->name = std::move(name);
  partition->root = &root;
  partition->parent = set;
  partition->colors.extent[0] = count;
  partition->isDisjoint = true;
  std::vector<Runs> runs(count);
  int64_t done = 0, piece = 0;
  set.forEachRun(root.shape, [&](int64_t begin, int64_t end) {
    while (begin < end) {
      int64_t limit = set.size() * (piece + 1) / count;
      int64_t stop = std::min(end, begin + (limit - done));
      if (begin < stop)
        runs[piece].push_back({begin, stop});
      done += stop - begin;
      begin = stop;
      if (done == limit && piece + 1 < count)
        ++piece;
    }
  });
  for (Runs &part : runs)
    partition->sets.emplace_back(root.shape, std::move(part));
  finishPartition(*partition);
  return partition;
}

Result<PartitionPointer>
sluice::regions::beginPartition(const char *name, const Root &root,
                                ElementSet parent, int32_t rank,
                                const int64_t *colors) {
  auto partition = std::make_unique<RegionPartition>();
  partition->name = name;
  partition->root = &root;
  partition->parent = std::move(parent);
  partition->colors.rank = rank;
  if (rank < 1 || rank > SLUICE_MAX_RANK)
    return Status::invalidArgument(concat("partition ", partition->text(),
                                          " has ", rank,
                                          " dimensions of colors, expected 1 "
                                          "to ",
                                          SLUICE_MAX_RANK));
  int64_t count = 1;
  for (int d = 0; d < rank; ++d) {
    if (colors[d] < 1 || __builtin_mul_overflow(count, colors[d], &count) ||
        count > INT32_MAX)
      return Status::invalidArgument(
          concat("partition ", partition->text(), " has ", colors[d],
                 " colors in dimension ", d,
                 ", expected at least 1, and fewer than 2^31 in all"));
    partition->colors.extent[d] = colors[d];
  }
  partition->sets.resize(static_cast<size_t>(count));
  return partition;
}

//===----------------------------------------------------------------------===//
// By shape
//===----------------------------------------------------------------------===//

Status sluice::regions::fillBlocks(RegionPartition &partition) {
  const Shape &shape = partition.root->shape, &colors = partition.colors;
  if (colors.rank > shape.rank)
    return Status::invalidArgument(
        concat("partition ", partition.text(), " has colors ", colors.text(),
               ", but the root has extents ", shape.text(),
               ": blocks have at most as many dimensions"));
  partition.isDisjoint = true;
  const Box &bounds = partition.parent.bounds();
  for (uint32_t color = 0; color < partition.numColors(); ++color) {
    int64_t at[SLUICE_MAX_RANK];
    colors.coordinates(color, at);
    Box box = bounds;
    for (int d = 0; d < colors.rank; ++d) {
      auto size = static_cast<__int128>(bounds.upper[d] - bounds.lower[d]);
      auto cut = [&](int64_t c) {
        return bounds.lower[d] +
               static_cast<int64_t>(size * c / colors.extent[d]);
      };
      box.lower[d] = cut(at[d]);
      box.upper[d] = cut(at[d] + 1);
    }
    partition.sets[color] = intersect(shape, ElementSet(box), partition.parent);
  }
  return {};
}

Status sluice::regions::fillHalos(RegionPartition &partition,
                                  const RegionPartition &source,
                                  const int64_t *width, bool corners) {
  const Shape &shape = partition.root->shape;
  for (int d = 0; d < shape.rank; ++d)
    if (width[d] < 0)
      return Status::invalidArgument(
          concat("halos ", partition.text(), " have width ", width[d],
                 " in dimension ", d, ", expected at least 0"));
  for (uint32_t color = 0; color < partition.numColors(); ++color)
    partition.sets[color] = widen(shape, source.sets[color], width, corners);
  return {};
}

Status sluice::regions::fillCombined(RegionPartition &partition,
                                     SluiceSetOperation operation,
                                     const RegionPartition &left,
                                     const RegionPartition &right) {
  if (left.root != right.root || !(left.colors == right.colors))
    return Status::invalidArgument(
        concat("partition ", quoted(partition.name), " combines ", left.text(),
               " with colors ", left.colors.text(), " and ", right.text(),
               " with colors ", right.colors.text(),
               ": roots and colors must be the same"));
  const Shape &shape = partition.root->shape;
  for (uint32_t color = 0; color < partition.numColors(); ++color) {
    const ElementSet &a = left.sets[color], &b = right.sets[color];
    ElementSet &set = partition.sets[color];
    set = operation == SLUICE_UNION          ? unite(shape, a, b)
          : operation == SLUICE_INTERSECTION ? intersect(shape, a, b)
                                             : subtract(shape, a, b);
  }
  partition.isDisjoint = (operation == SLUICE_INTERSECTION &&
                          (left.isDisjoint || right.isDisjoint)) ||
                         (operation == SLUICE_DIFFERENCE && left.isDisjoint);
  return {};
}

//===----------------------------------------------------------------------===//
// By function
//===----------------------------------------------------------------------===//

namespace {
/// What the user's function adds elements to.
struct Collector {
  SluiceColoring interface;
  const RegionPartition *partition;
  int64_t color;
  Runs runs;
  Status error;

  static void add(SluiceColoring *self, int64_t begin, int64_t end) {
    auto &collector = *reinterpret_cast<Collector *>(self);
    int64_t count = collector.partition->root->shape.count();
    if (begin >= end || !collector.error.ok())
      return;
    if (begin >= 0 && end <= count)
      return collector.runs.push_back({begin, end});
    collector.error = Status::invalidArgument(concat(
        "the coloring of ", collector.partition->text(), " adds [", begin, ", ",
        end, ") to color ", colorText(*collector.partition, collector.color),
        ", but the root has ", count, " elements"));
  }
};
} // namespace

static Status checkInsideParent(const RegionPartition &partition,
                                int64_t color) {
  const Shape &shape = partition.root->shape;
  ElementSet outside = subtract(shape, partition.sets[color], partition.parent);
  if (outside.isEmpty())
    return {};
  return Status::invalidArgument(
      concat("the coloring of ", partition.text(), " gives color ",
             colorText(partition, color), " element ",
             shape.elementText(outside.first(shape)),
             ", which is not in the region that it divides"));
}

Status sluice::regions::fillColoring(
    RegionPartition &partition,
    void (*coloring)(const int64_t *color, SluiceColoring *elements)) {
  const Shape &shape = partition.root->shape;
  for (uint32_t color = 0; color < partition.numColors(); ++color) {
    Collector collector = {{Collector::add}, &partition, color, {}, {}};
    int64_t at[SLUICE_MAX_RANK];
    partition.colors.coordinates(color, at);
    coloring(at, &collector.interface);
    if (!collector.error.ok())
      return std::move(collector.error);
    partition.sets[color] =
        ElementSet::ofAnyRuns(shape, std::move(collector.runs));
    if (partition.parent.size() != shape.count())
      if (Status status = checkInsideParent(partition, color); !status.ok())
        return status;
  }
  return {};
}
