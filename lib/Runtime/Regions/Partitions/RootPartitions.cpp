//===- RootPartitions.cpp - Partitions and the elements of their colors ---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Partitions by shape, by a user function, and by set operations.
//
//===----------------------------------------------------------------------===//

#include "RootPartitions.h"

#include "Blocks.h"
#include "SegmentIndex.h"

#include "../../Execution/KernelCall.h"

#include "sluice-c/RegionPython.h"
#include "sluice/Base/Text.h"

#include <array>

using namespace sluice;
using namespace sluice::regions;

std::string RootPartition::text() const {
  return concat(quoted(name), " of root ", quoted(root->name));
}

void sluice::regions::finishPartition(RootPartition &partition) {
  if (partition.sets.demanded())
    return;
  partition.domains.reserve(partition.sets.size());
  for (const ElementSet &set : partition.sets)
    partition.domains.push_back(domainOf(partition.root->shape, set));
}

PartitionPointer sluice::regions::makeWhole(const Root &root, std::string name,
                                            ElementSet set) {
  auto partition = std::make_unique<RootPartition>();
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
  auto partition = std::make_unique<RootPartition>();
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
                                const int64_t *colors, bool onDemand) {
  auto partition = std::make_unique<RootPartition>();
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
  if (!onDemand)
    partition->sets.resize(static_cast<size_t>(count));
  return partition;
}

//===----------------------------------------------------------------------===//
// By shape
//===----------------------------------------------------------------------===//

static void visitBlocks(const Box &bounds, const Shape &colors, const Box &box,
                        const std::function<void(uint32_t)> &visit) {
  const Box common = bounds.intersect(box);
  if (common.count() == 0)
    return;
  int64_t first[SLUICE_MAX_RANK] = {0, 0, 0}, last[SLUICE_MAX_RANK] = {0, 0, 0};
  for (int d = 0; d < colors.rank; ++d) {
    const int64_t lower = bounds.lower[d], upper = bounds.upper[d];
    first[d] = colorAt(lower, upper, colors.extent[d], common.lower[d]);
    last[d] = colorAt(lower, upper, colors.extent[d], common.upper[d] - 1);
  }
  int64_t at[SLUICE_MAX_RANK];
  for (at[0] = first[0]; at[0] <= last[0]; ++at[0])
    for (at[1] = first[1]; at[1] <= last[1]; ++at[1])
      for (at[2] = first[2]; at[2] <= last[2]; ++at[2])
        visit(static_cast<uint32_t>(colors.position(at)));
}

static void divideOnDemand(RootPartition &partition) {
  const Box bounds = partition.parent.bounds();
  const Shape colors = partition.colors;
  partition.isComplete = true;
  partition.sets = ColorSets(std::make_shared<SetsOnDemand>(
      partition.root->shape, colors.count(), [=](uint32_t color) {
        return ElementSet(blockAt(bounds, colors, color));
      }));
  partition.visitNear = [=](const Box &box,
                            const std::function<void(uint32_t)> &visit) {
    visitBlocks(bounds, colors, box, visit);
  };
}

Status sluice::regions::fillBlocks(RootPartition &partition, bool onDemand) {
  const Shape &shape = partition.root->shape, &colors = partition.colors;
  if (colors.rank > shape.rank)
    return Status::invalidArgument(
        concat("partition ", partition.text(), " has colors ", colors.text(),
               ", but the root has extents ", shape.text(),
               ": blocks have at most as many dimensions"));
  partition.isDisjoint = true;
  if (onDemand) {
    divideOnDemand(partition);
    return {};
  }
  for (uint32_t color = 0; color < partition.numColors(); ++color)
    partition.sets.at(color) = intersect(
        shape, ElementSet(blockAt(partition.parent.bounds(), colors, color)),
        partition.parent);
  return {};
}

/// Calls a function for the boxes that `box` becomes if it is widened along all
/// dimensions from `dimension` on.
static void forEachWide(const Shape &shape, const Box &box,
                        const int64_t *widths, uint32_t periodic, int dimension,
                        const std::function<void(const Box &)> &function) {
  if (dimension == shape.rank)
    return function(box);
  if (periodic >> dimension & 1) {
    for (const Box &part :
         widenPeriodic(shape, box, dimension, widths[dimension]))
      forEachWide(shape, part, widths, periodic, dimension + 1, function);
    return;
  }
  Box wide = box;
  int64_t &lower = wide.lower[dimension], &upper = wide.upper[dimension];
  const int64_t width = widths[dimension];
  lower = std::max<int64_t>(0, width > lower ? 0 : lower - width);
  upper += std::min(shape.extent[dimension] - upper, width);
  forEachWide(shape, wide, widths, periodic, dimension + 1, function);
}

static void widenOnDemand(RootPartition &partition, const RootPartition &source,
                          const int64_t *width, bool corners,
                          uint32_t periodic) {
  const Shape shape = partition.root->shape;
  std::array<int64_t, SLUICE_MAX_RANK> widths = {};
  std::copy_n(width, shape.rank, widths.begin());
  partition.isComplete =
      source.isComplete && source.parent.size() == shape.count();
  partition.sets = ColorSets(std::make_shared<SetsOnDemand>(
      shape, source.numColors(), [=, &source](uint32_t color) {
        return widen(shape, source.sets[color], widths.data(), corners,
                     periodic);
      }));
  // A halo contains an element of a box only if its block has an element
  // nearby.
  partition.visitNear =
      [=, &source](const Box &box, const std::function<void(uint32_t)> &visit) {
        forEachWide(shape, box, widths.data(), periodic, 0,
                    [&](const Box &wide) { source.visitNear(wide, visit); });
      };
}

Status sluice::regions::fillHalos(RootPartition &partition,
                                  const RootPartition &source,
                                  const int64_t *width, bool corners,
                                  uint32_t periodic) {
  const Shape &shape = partition.root->shape;
  for (int d = 0; d < shape.rank; ++d)
    if (width[d] < 0)
      return Status::invalidArgument(
          concat("halos ", partition.text(), " have width ", width[d],
                 " in dimension ", d, ", expected at least 0"));
  if (source.sets.demanded()) {
    widenOnDemand(partition, source, width, corners, periodic);
    return {};
  }
  for (uint32_t color = 0; color < partition.numColors(); ++color)
    partition.sets.at(color) =
        widen(shape, source.sets[color], width, corners, periodic);
  return {};
}

Status sluice::regions::fillCombined(RootPartition &partition,
                                     SluiceSetOperation operation,
                                     const RootPartition &left,
                                     const RootPartition &right) {
  if (left.root != right.root || !(left.colors == right.colors))
    return Status::invalidArgument(
        concat("partition ", quoted(partition.name), " combines ", left.text(),
               " with colors ", left.colors.text(), " and ", right.text(),
               " with colors ", right.colors.text(),
               ": roots and colors must be the same"));
  const Shape &shape = partition.root->shape;
  for (uint32_t color = 0; color < partition.numColors(); ++color) {
    const ElementSet &a = left.sets[color], &b = right.sets[color];
    ElementSet &set = partition.sets.at(color);
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
/// Collects the elements that a user function adds.
struct Collector {
  SluiceShapedColoring interface;
  const RootPartition *partition;
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

static Status checkInsideParent(const RootPartition &partition, int64_t color) {
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
    RootPartition &partition,
    void (*coloring)(const int64_t *color, SluiceColoring *elements)) {
  const Shape &shape = partition.root->shape, &colors = partition.colors;
  SluiceShapedColoring interface = {
      {Collector::add}, shape.rank, colors.rank, {}, {}};
  std::copy_n(shape.extent, SLUICE_MAX_RANK, interface.extent);
  std::copy_n(colors.extent, SLUICE_MAX_RANK, interface.colors);
  for (uint32_t color = 0; color < partition.numColors(); ++color) {
    Collector collector = {interface, &partition, color, {}, {}};
    int64_t at[SLUICE_MAX_RANK];
    partition.colors.coordinates(color, at);
    if (Status status =
            callUserCode({"the coloring of partition", partition.name.c_str(),
                          "color", partition.colors.rank, at},
                         [&] { coloring(at, &collector.interface.elements); });
        !status.ok())
      return status;
    if (!collector.error.ok())
      return std::move(collector.error);
    partition.sets.at(color) =
        ElementSet::ofAnyRuns(shape, std::move(collector.runs));
    if (partition.parent.size() != shape.count())
      if (Status status = checkInsideParent(partition, color); !status.ok())
        return status;
  }
  return {};
}
