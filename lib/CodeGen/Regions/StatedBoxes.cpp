//===- StatedBoxes.cpp - Boxes of parts that programs state ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies and accesses of tasks are checked on these boxes before any run.
//
//===----------------------------------------------------------------------===//

#include "StatedBoxes.h"
#include "Source.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

bool StatedBox::isEmpty() const {
  return any_of(zip(lower, upper), [](const auto &bounds) {
    return std::get<0>(bounds) >= std::get<1>(bounds);
  });
}

bool StatedBox::contains(ArrayRef<int64_t> element) const {
  return all_of(zip(lower, element, upper), [](const auto &each) {
    const auto &[low, at, high] = each;
    return low <= at && at < high;
  });
}

bool StatedBox::operator==(const StatedBox &other) const {
  return (isEmpty() && other.isEmpty()) ||
         (lower == other.lower && upper == other.upper);
}

std::optional<StatedBox> codegen::boxOfRoot(const RegionRoot &root) {
  if (!isConstant(root.extents))
    return std::nullopt;
  if (root.isScalar)
    return StatedBox{{0}, {1}};
  StatedBox box;
  for (const Extent &extent : root.extents) {
    box.lower.push_back(0);
    box.upper.push_back(extent.constant);
  }
  return box;
}

BoxCoordinates codegen::coordinatesAt(int64_t position,
                                      ArrayRef<Extent> extents) {
  BoxCoordinates at(extents.size());
  for (size_t d = at.size(); d-- > 0; position /= extents[d].constant)
    at[d] = position % extents[d].constant;
  return at;
}

/// Only then there are coordinates.
static bool haveElements(ArrayRef<Extent> extents) {
  return isConstant(extents) &&
         all_of(extents, [](const Extent &each) { return each.constant > 0; });
}

static std::optional<StatedBox>
boxOfColor(const RegionModel &program, unsigned index, ArrayRef<int64_t> color);

/// The elements that a partition divides.
static std::optional<StatedBox> boxOfParent(const RegionModel &program,
                                            const RegionPartition &partition) {
  if (partition.parent == noIndex)
    return boxOfRoot(program.roots[partition.root]);
  const RegionPartition &parent = program.partitions[partition.parent];
  if (!haveElements(parent.colors))
    return std::nullopt;
  return boxOfColor(program, partition.parent,
                    coordinatesAt(partition.parentColor, parent.colors));
}

static std::optional<StatedBox> boxOfColor(const RegionModel &program,
                                           unsigned index,
                                           ArrayRef<int64_t> color) {
  const RegionPartition &partition = program.partitions[index];
  if (partition.kind != PartitionKind::Blocks || !isConstant(partition.colors))
    return std::nullopt;
  std::optional<StatedBox> box = boxOfParent(program, partition);
  for (size_t d = 0; box && d != color.size(); ++d) {
    // The default of a parameter may be too small.
    if (color[d] >= partition.colors[d].constant)
      return std::nullopt;
    const int64_t lower = box->lower[d], length = box->upper[d] - lower;
    auto cut = [&](int64_t at) {
      return lower +
             int64_t(__int128(length) * at / partition.colors[d].constant);
    };
    box->lower[d] = cut(color[d]);
    box->upper[d] = cut(color[d] + 1);
  }
  return box;
}

/// The color of an argument at a point, if known.
static std::optional<BoxCoordinates> colorAt(const RegionModel &program,
                                             const RegionArgument &argument,
                                             ArrayRef<int64_t> point) {
  const RegionPartition &partition = program.partitions[argument.partition];
  if (!haveElements(partition.colors))
    return std::nullopt;
  const RegionProjection &by = argument.projection;
  if (argument.color >= 0)
    return coordinatesAt(argument.color, partition.colors);
  if (by.kind == RegionProjection::Identity)
    return BoxCoordinates(point);
  if (by.kind != RegionProjection::Affine || !by.shifts.empty())
    return std::nullopt;
  // Rule L2 reports invalid colors.
  BoxCoordinates color;
  for (auto [row, offset] : enumerate(by.offset)) {
    __int128 index = offset;
    for (auto [d, number] : enumerate(point))
      index += __int128(by.matrix[row * point.size() + d]) * number;
    if (index < 0 || index >= partition.colors[row].constant)
      return std::nullopt;
    color.push_back(int64_t(index));
  }
  return color;
}

std::optional<StatedBox> codegen::boxAt(const RegionModel &program,
                                        const RegionArgument &argument,
                                        ArrayRef<int64_t> point) {
  if (argument.kind != RegionArgument::Region)
    return std::nullopt;
  if (argument.partition == noIndex)
    return boxOfRoot(program.roots[argument.root]);
  const RegionPartition &partition = program.partitions[argument.partition];
  if (partition.kind != PartitionKind::Blocks || !isConstant(partition.colors))
    return std::nullopt;
  if (argument.color < 0 && argument.projection.kind == RegionProjection::Whole)
    return boxOfParent(program, partition);
  std::optional<BoxCoordinates> color = colorAt(program, argument, point);
  return color ? boxOfColor(program, argument.partition, *color) : std::nullopt;
}

std::optional<StatedBox> codegen::boxAround(const RegionModel &program,
                                            const RegionArgument &argument,
                                            ArrayRef<int64_t> point) {
  if (argument.partition == noIndex ||
      program.partitions[argument.partition].kind != PartitionKind::Halo)
    return boxAt(program, argument, point);
  const RegionPartition &halo = program.partitions[argument.partition];
  std::optional<StatedBox> root = boxOfRoot(program.roots[halo.root]);
  std::optional<BoxCoordinates> color = colorAt(program, argument, point);
  if (!root || !color || halo.periodic != 0)
    return std::nullopt;
  std::optional<StatedBox> box = boxOfColor(program, halo.left, *color);
  for (size_t d = 0; box && !box->isEmpty() && d != halo.width.size(); ++d) {
    box->lower[d] = std::max<int64_t>(box->lower[d] - halo.width[d], 0);
    box->upper[d] = std::min(box->upper[d] + halo.width[d], root->upper[d]);
  }
  return box;
}

bool codegen::stepPoint(ArrayRef<Extent> extents, BoxCoordinates &point) {
  for (size_t d = point.size(); d-- > 0; point[d] = 0)
    if (++point[d] < extents[d].constant)
      return true;
  return false;
}
