//===- DerivedPartitions.cpp - Partitions of all colors of others ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks of each color, cross products, combinations with one region, and
// partitions by computed coordinates. The work follows the elements that the
// colors have, not the number of pairs of colors.
//
//===----------------------------------------------------------------------===//

#include "Blocks.h"
#include "ColorIndex.h"
#include "RootPartitions.h"

#include "sluice/Base/Text.h"

using namespace sluice;
using namespace sluice::regions;

//===----------------------------------------------------------------------===//
// Blocks of each color
//===----------------------------------------------------------------------===//

/// The shape of the blocks of one color.
static Shape blocksAfter(const RootPartition &partition, int32_t numOuter) {
  Shape blocks;
  blocks.rank = partition.colors.rank - numOuter;
  std::copy_n(partition.colors.extent + numOuter, blocks.rank, blocks.extent);
  return blocks;
}

/// Adds the pieces of runs to the runs of the blocks in which they lie.
static void divideRuns(const Shape &shape, const ElementSet &set,
                       const Shape &blocks, std::vector<Runs> &out) {
  const Box &bounds = set.bounds();
  const int last = shape.rank - 1;
  const int64_t line = shape.extent[last];
  auto blockOf = [&](int d, int64_t at) {
    return colorAt(bounds.lower[d], bounds.upper[d], blocks.extent[d], at);
  };
  for (SluiceRun run : set.storedRuns())
    while (run.begin < run.end) {
      int64_t at[SLUICE_MAX_RANK], block[SLUICE_MAX_RANK] = {0, 0, 0};
      shape.coordinates(run.begin, at);
      for (int d = 0; d < blocks.rank; ++d)
        block[d] = blockOf(d, at[d]);
      int64_t stop = std::min(run.end, (run.begin / line + 1) * line);
      if (blocks.rank > last)
        stop = std::min(stop, run.begin - at[last] +
                                  cutAt(bounds.lower[last], bounds.upper[last],
                                        block[last] + 1, blocks.extent[last]));
      Runs &to = out[blocks.position(block)];
      if (!to.empty() && to.back().end == run.begin)
        to.back().end = stop;
      else
        to.push_back({run.begin, stop});
      run.begin = stop;
    }
}

static void divideEachOnDemand(RootPartition &partition,
                               const RootPartition &source,
                               const Shape &blocks) {
  const Shape shape = partition.root->shape;
  const auto numBlocks = uint32_t(blocks.count());
  partition.isComplete =
      source.isComplete && source.parent.size() == shape.count();
  partition.sets = ColorSets(std::make_shared<SetsOnDemand>(
      shape, partition.colors.count(), [=, &source](uint32_t color) {
        const ElementSet &outer = source.sets[color / numBlocks];
        if (outer.isEmpty())
          return ElementSet();
        return intersect(
            shape,
            ElementSet(blockAt(outer.bounds(), blocks, color % numBlocks)),
            outer);
      }));
  partition.visitNear =
      [=, &source](const Box &box, const std::function<void(uint32_t)> &visit) {
        source.visitNear(box, [&](uint32_t outer) {
          if (source.sets[outer].isEmpty())
            return;
          const Box bounds = source.sets[outer].bounds();
          for (uint32_t block = 0; block < numBlocks; ++block)
            if (blockAt(bounds, blocks, block).overlaps(box))
              visit(outer * numBlocks + block);
        });
      };
}

Status sluice::regions::fillBlocksOfEach(RootPartition &partition,
                                         const RootPartition &source) {
  const Shape &shape = partition.root->shape, &outer = source.colors;
  const int32_t numBlocks = partition.colors.rank - outer.rank;
  if (numBlocks < 1 || numBlocks > shape.rank ||
      !std::equal(outer.extent, outer.extent + outer.rank,
                  partition.colors.extent))
    return Status::invalidArgument(concat(
        "partition ", partition.text(), " has colors ", partition.colors.text(),
        ", expected those of ", source.text(), ", ", outer.text(),
        ", and then 1 to ", shape.rank, " numbers of blocks"));
  const Shape blocks = blocksAfter(partition, outer.rank);
  partition.isDisjoint = source.isDisjoint;
  if (source.sets.demanded()) {
    divideEachOnDemand(partition, source, blocks);
    return {};
  }
  const auto count = size_t(blocks.count());
  size_t color = 0;
  for (const ElementSet &set : source.sets) {
    if (set.isBox()) {
      for (size_t block = 0; block < count && !set.isEmpty(); ++block)
        partition.sets.at(color + block) =
            ElementSet(blockAt(set.bounds(), blocks, uint32_t(block)));
    } else {
      std::vector<Runs> runs(count);
      divideRuns(shape, set, blocks, runs);
      for (size_t block = 0; block < count; ++block)
        partition.sets.at(color + block) =
            ElementSet(shape, std::move(runs[block]));
    }
    color += count;
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Sets
//===----------------------------------------------------------------------===//

static void crossOnDemand(RootPartition &partition, const RootPartition &left,
                          const RootPartition &right) {
  const Shape shape = partition.root->shape;
  const uint32_t count = right.numColors();
  partition.isComplete = left.isComplete && right.isComplete &&
                         left.parent.size() == shape.count() &&
                         right.parent.size() == shape.count();
  partition.sets = ColorSets(std::make_shared<SetsOnDemand>(
      shape, partition.colors.count(), [=, &left, &right](uint32_t color) {
        return intersect(shape, left.sets[color / count],
                         right.sets[color % count]);
      }));
  partition.visitNear = [=, &left,
                         &right](const Box &box,
                                 const std::function<void(uint32_t)> &visit) {
    std::vector<uint32_t> inner;
    right.visitNear(box, [&](uint32_t color) { inner.push_back(color); });
    left.visitNear(box, [&](uint32_t color) {
      for (uint32_t other : inner)
        visit(color * count + other);
    });
  };
}

Status sluice::regions::fillCross(RootPartition &partition,
                                  const RootPartition &left,
                                  const RootPartition &right) {
  if (left.root != right.root)
    return Status::invalidArgument(
        concat("partition ", quoted(partition.name), " crosses ", left.text(),
               " and ", right.text(), ": the roots must be the same"));
  const Shape &shape = partition.root->shape;
  partition.isDisjoint = left.isDisjoint && right.isDisjoint;
  if (left.sets.demanded() && right.sets.demanded()) {
    crossOnDemand(partition, left, right);
    return {};
  }
  const ColorIndex &index = right.index();
  const size_t count = right.numColors();
  std::vector<uint32_t> near;
  for (size_t color = 0; color < left.numColors(); ++color) {
    const ElementSet &set = left.sets[color];
    near.clear();
    if (!set.isEmpty())
      index.visit(set, [&](uint32_t other) { near.push_back(other); });
    std::sort(near.begin(), near.end());
    near.erase(std::unique(near.begin(), near.end()), near.end());
    for (uint32_t other : near)
      partition.sets.at(color * count + other) =
          intersect(shape, set, right.sets[other]);
  }
  return {};
}

/// The part of a set between the first and the last element of another one, as
/// far as that takes little time.
static ElementSet nearOf(const Shape &shape, const ElementSet &set,
                         const ElementSet &other) {
  if (set.isEmpty() || other.isEmpty())
    return {};
  if (set.isBox())
    return ElementSet(set.bounds().intersect(other.bounds()));
  const int64_t begin = other.first(shape), end = other.end(shape);
  const Runs &runs = set.storedRuns();
  auto first =
      std::partition_point(runs.begin(), runs.end(), [&](const SluiceRun &run) {
        return run.end <= begin;
      });
  auto last = std::partition_point(
      first, runs.end(), [&](const SluiceRun &run) { return run.begin < end; });
  return ElementSet(shape, Runs(first, last));
}

Status sluice::regions::fillCombinedWith(RootPartition &partition,
                                         SluiceSetOperation operation,
                                         const RootPartition &left,
                                         const ElementSet &right) {
  const Shape &shape = partition.root->shape;
  for (uint32_t color = 0; color < partition.numColors(); ++color) {
    const ElementSet &set = left.sets[color];
    partition.sets.at(color) =
        operation == SLUICE_UNION ? unite(shape, set, right)
        : operation == SLUICE_INTERSECTION
            ? intersect(shape, set, nearOf(shape, right, set))
            : subtract(shape, set, nearOf(shape, right, set));
  }
  partition.isDisjoint = operation != SLUICE_UNION && left.isDisjoint;
  return {};
}

//===----------------------------------------------------------------------===//
// Computed coordinates
//===----------------------------------------------------------------------===//

static Status checkMap(const RootPartition &partition, ElementMap map) {
  for (const SluiceElementCoordinate &each : map) {
    auto isSmall = [](int64_t number) {
      return -maxMapNumber < number && number < maxMapNumber;
    };
    bool areSmall =
        isSmall(each.offset) && isSmall(each.divisor) && isSmall(each.modulus);
    for (int64_t factor : each.factors)
      areSmall &= isSmall(factor);
    if (!areSmall)
      return Status::invalidArgument(
          concat("partition ", partition.text(),
                 " computes coordinates with a number of 2^60 or more"));
    if (each.divisor < 1 || each.modulus < 0)
      return Status::invalidArgument(
          concat("partition ", partition.text(), " divides by ",
                 each.divisor < 1 ? each.divisor : each.modulus,
                 ", expected at least 1"));
  }
  return {};
}

Status sluice::regions::fillByMap(RootPartition &partition, ElementMap map) {
  if (Status status = checkMap(partition, map); !status.ok())
    return status;
  partition.isDisjoint = true;
  const Shape &shape = partition.root->shape;
  if (isFoundByElements(shape, map, partition.colors)) {
    uint32_t color = 0;
    for (Runs &runs : namingRuns(shape, map, partition.colors))
      partition.sets.at(color++) = ElementSet(shape, std::move(runs));
    return {};
  }
  for (uint32_t color = 0; color < partition.numColors(); ++color) {
    Box box;
    partition.colors.coordinates(color, box.lower);
    for (int d = 0; d < SLUICE_MAX_RANK; ++d)
      box.upper[d] = box.lower[d] + 1;
    partition.sets.at(color) = preimageOf(partition.root->shape, map,
                                          partition.colors, ElementSet(box));
  }
  return {};
}

Status sluice::regions::fillMappedImage(RootPartition &partition,
                                        const RootPartition &source,
                                        ElementMap map) {
  if (Status status = checkMap(partition, map); !status.ok())
    return status;
  for (uint32_t color = 0; color < partition.numColors(); ++color)
    partition.sets.at(color) = imageOf(source.root->shape, source.sets[color],
                                       map, partition.root->shape);
  return {};
}

Status sluice::regions::fillMappedPreimage(RootPartition &partition,
                                           ElementMap map,
                                           const RootPartition &target) {
  if (Status status = checkMap(partition, map); !status.ok())
    return status;
  for (uint32_t color = 0; color < partition.numColors(); ++color)
    partition.sets.at(color) = preimageOf(
        partition.root->shape, map, target.root->shape, target.sets[color]);
  partition.isDisjoint = target.isDisjoint;
  return {};
}
