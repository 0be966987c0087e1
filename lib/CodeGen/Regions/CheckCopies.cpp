//===- CheckCopies.cpp - Copies keep elements in place --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Both sides of a copy must have the same elements. This is checked here for
// roots and blocks with constant extents, and at run time for all others.
//
//===----------------------------------------------------------------------===//

#include "LowerRegions.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

namespace {
/// Coordinates lower <= c < upper; all empty boxes are equal.
struct CopiedBox {
  SmallVector<int64_t, 3> lower, upper;

  bool isEmpty() const {
    return any_of(zip(lower, upper), [](const auto &bounds) {
      return std::get<0>(bounds) >= std::get<1>(bounds);
    });
  }
  bool operator==(const CopiedBox &other) const {
    return (isEmpty() && other.isEmpty()) ||
           (lower == other.lower && upper == other.upper);
  }
};
using Indices = SmallVector<int64_t, 3>;
} // namespace

/// All of a root.
static std::optional<CopiedBox> boxOfRoot(const RegionRoot &root) {
  if (!isConstant(root.extents))
    return std::nullopt;
  if (root.isScalar)
    return CopiedBox{{0}, {1}};
  CopiedBox box;
  for (const Extent &extent : root.extents) {
    box.lower.push_back(0);
    box.upper.push_back(extent.constant);
  }
  return box;
}

static std::optional<CopiedBox>
boxOfColor(const RegionModel &program, unsigned index, ArrayRef<int64_t> color);

/// The elements that a partition divides.
static std::optional<CopiedBox> boxOfParent(const RegionModel &program,
                                            const RegionPartition &partition) {
  if (partition.parent == noIndex)
    return boxOfRoot(program.roots[partition.root]);
  const RegionPartition &parent = program.partitions[partition.parent];
  if (!isConstant(parent.colors))
    return std::nullopt;
  Indices color(parent.colors.size());
  int64_t rest = partition.parentColor;
  for (size_t d = color.size(); d-- > 0; rest /= parent.colors[d].constant)
    color[d] = rest % parent.colors[d].constant;
  return boxOfColor(program, partition.parent, color);
}

static std::optional<CopiedBox> boxOfColor(const RegionModel &program,
                                           unsigned index,
                                           ArrayRef<int64_t> color) {
  const RegionPartition &partition = program.partitions[index];
  if (partition.kind != PartitionKind::Blocks || !isConstant(partition.colors))
    return std::nullopt;
  std::optional<CopiedBox> box = boxOfParent(program, partition);
  for (size_t d = 0; box && d != color.size(); ++d) {
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

/// The elements of an argument at a point, if known.
static std::optional<CopiedBox> boxAt(const RegionModel &program,
                                      const RegionArgument &argument,
                                      ArrayRef<int64_t> point) {
  if (argument.kind != RegionArgument::Region)
    return std::nullopt;
  if (argument.partition == noIndex)
    return boxOfRoot(program.roots[argument.root]);
  const RegionPartition &partition = program.partitions[argument.partition];
  if (partition.kind != PartitionKind::Blocks || !isConstant(partition.colors))
    return std::nullopt;
  const RegionProjection &by = argument.projection;
  Indices color;
  if (argument.color >= 0) {
    color.resize(partition.colors.size());
    int64_t rest = argument.color;
    for (size_t d = color.size(); d-- > 0; rest /= partition.colors[d].constant)
      color[d] = rest % partition.colors[d].constant;
  } else if (by.kind == RegionProjection::Identity) {
    color.assign(point.begin(), point.end());
  } else if (by.kind == RegionProjection::Affine && by.shifts.empty()) {
    // Rule L2 reports invalid colors.
    for (auto [row, offset] : enumerate(by.offset)) {
      __int128 index = offset;
      for (auto [d, number] : enumerate(point))
        index += __int128(by.matrix[row * point.size() + d]) * number;
      if (index < 0 || index >= partition.colors[row].constant)
        return std::nullopt;
      color.push_back(int64_t(index));
    }
  } else if (by.kind == RegionProjection::Whole) {
    return boxOfParent(program, partition);
  } else {
    return std::nullopt;
  }
  return boxOfColor(program, argument.partition, color);
}

/// Moves to the next point; false after the last one.
static bool stepPoint(ArrayRef<Extent> extents, Indices &point) {
  for (size_t d = point.size(); d-- > 0; point[d] = 0)
    if (++point[d] < extents[d].constant)
      return true;
  return false;
}

void ProgramLowering::checkCopiedElements(mlir::Operation *op,
                                          const RegionStatement &statement) {
  constexpr unsigned maxPoints = 65536;
  const RegionArgument &from = statement.arguments[0],
                       &to = statement.arguments[1];
  const RegionRoot &source = program.roots[from.root];
  const RegionRoot &target = program.roots[to.root];
  if (isConstant(source.extents) && isConstant(target.extents) &&
      boxOfRoot(source)->upper != boxOfRoot(target)->upper) {
    fail(op) << nodeText(op) << " copies from '@" << source.name << "' to '@"
             << target.name << "', whose extents differ";
    return;
  }
  if (!isConstant(statement.domain))
    return;
  Indices point(statement.domain.size());
  for (unsigned i = 0; i != maxPoints; ++i) {
    auto left = boxAt(program, from, point), right = boxAt(program, to, point);
    if (!left || !right)
      return;
    if (!(*left == *right)) {
      auto error = fail(op);
      error << nodeText(op);
      if (!point.empty()) {
        error << " at point (";
        interleaveComma(point, error);
        error << ')';
      }
      error << " has other elements to read than to write, but copies keep "
               "them in place; let a task move them";
      return;
    }
    if (!stepPoint(statement.domain, point))
      return;
  }
}
