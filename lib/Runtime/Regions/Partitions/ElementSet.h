//===- ElementSet.h - Elements of a root, as boxes or runs ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The elements of a partition's color. Most colors are boxes, which are cheap
// to store and to compare; all others are sorted runs of linear positions, so
// that every operation is a merge.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REGIONS_PARTITIONS_ELEMENTSET_H
#define SLUICE_RUNTIME_REGIONS_PARTITIONS_ELEMENTSET_H

#include "sluice-c/Tasks.h"

#include <algorithm>
#include <string>
#include <vector>

namespace sluice::regions {

/// The extents of a root; 1 in unused dimensions.
struct Shape {
  int32_t rank = 1;
  int64_t extent[SLUICE_MAX_RANK] = {1, 1, 1};

  int64_t count() const { return extent[0] * extent[1] * extent[2]; }
  int64_t stride(int dimension) const {
    int64_t product = 1;
    for (int d = dimension + 1; d < SLUICE_MAX_RANK; ++d)
      product *= extent[d];
    return product;
  }
  int64_t position(const int64_t *coordinates) const {
    return (coordinates[0] * extent[1] + coordinates[1]) * extent[2] +
           coordinates[2];
  }
  void coordinates(int64_t position, int64_t *out) const {
    out[2] = position % extent[2];
    out[1] = position / extent[2] % extent[1];
    out[0] = position / extent[2] / extent[1];
  }
  bool operator==(const Shape &other) const {
    return rank == other.rank && std::equal(extent, extent + 3, other.extent);
  }
  /// "[4, 5]"
  std::string text() const;
  /// The element at a linear position: "17", or "(3, 4)" of a higher rank.
  std::string elementText(int64_t position) const;
};

/// Coordinates lower <= c < upper; 0 and 1 in unused dimensions.
struct Box {
  int64_t lower[SLUICE_MAX_RANK] = {0, 0, 0};
  int64_t upper[SLUICE_MAX_RANK] = {1, 1, 1};

  static Box whole(const Shape &shape) {
    Box box;
    std::copy_n(shape.extent, SLUICE_MAX_RANK, box.upper);
    return box;
  }
  int64_t count() const {
    int64_t product = 1;
    for (int d = 0; d < SLUICE_MAX_RANK; ++d)
      product *= std::max<int64_t>(0, upper[d] - lower[d]);
    return product;
  }
  Box intersect(const Box &other) const {
    Box box;
    for (int d = 0; d < SLUICE_MAX_RANK; ++d) {
      box.lower[d] = std::max(lower[d], other.lower[d]);
      box.upper[d] = std::min(upper[d], other.upper[d]);
    }
    return box;
  }
  bool overlaps(const Box &other) const {
    for (int d = 0; d < SLUICE_MAX_RANK; ++d)
      if (lower[d] >= other.upper[d] || other.lower[d] >= upper[d])
        return false;
    return true;
  }
  void include(const Box &other) {
    for (int d = 0; d < SLUICE_MAX_RANK; ++d) {
      lower[d] = std::min(lower[d], other.lower[d]);
      upper[d] = std::max(upper[d], other.upper[d]);
    }
  }
  bool operator==(const Box &other) const {
    return std::equal(lower, lower + SLUICE_MAX_RANK, other.lower) &&
           std::equal(upper, upper + SLUICE_MAX_RANK, other.upper);
  }
};

using Runs = std::vector<SluiceRun>;

/// Calls `function(begin, end)` for the runs of a box, in ascending order.
template <typename Function>
void forEachRun(const Shape &shape, const Box &box, Function &&function) {
  if (box.count() == 0)
    return;
  const int64_t *lower = box.lower, *upper = box.upper;
  const int64_t rows = shape.extent[1], columns = shape.extent[2];
  bool fullColumns = upper[2] - lower[2] == columns;
  if (fullColumns && upper[1] - lower[1] == rows)
    return function(lower[0] * rows * columns, upper[0] * rows * columns);
  for (int64_t i = lower[0]; i < upper[0]; ++i) {
    if (fullColumns) {
      function((i * rows + lower[1]) * columns,
               (i * rows + upper[1]) * columns);
      continue;
    }
    for (int64_t j = lower[1]; j < upper[1]; ++j) {
      int64_t row = (i * rows + j) * columns;
      function(row + lower[2], row + upper[2]);
    }
  }
}

/// Some elements of a root. Without runs: all of the bounding box.
class ElementSet {
public:
  ElementSet() { clear(); }
  explicit ElementSet(const Box &box) : box(box), count(box.count()) {
    if (count == 0)
      clear();
  }
  /// From sorted, disjoint runs.
  ElementSet(const Shape &shape, Runs sorted);
  /// From runs in any order, which may overlap.
  static ElementSet ofAnyRuns(const Shape &shape, Runs any);

  bool isEmpty() const { return count == 0; }
  bool isBox() const { return runs.empty(); }
  int64_t size() const { return count; }
  const Box &bounds() const { return box; }
  const Runs &storedRuns() const { return runs; }

  template <typename Function>
  void forEachRun(const Shape &shape, Function &&function) const {
    if (isBox())
      return regions::forEachRun(shape, box, function);
    for (const SluiceRun &run : runs)
      function(run.begin, run.end);
  }
  Runs toRuns(const Shape &shape) const;
  /// Position of the first element; the set is not empty.
  int64_t first(const Shape &shape) const {
    return isBox() ? shape.position(box.lower) : runs.front().begin;
  }
  /// The position after the last element.
  int64_t end(const Shape &shape) const;

private:
  void clear();
  Box box;
  int64_t count = 0;
  Runs runs;
};

Runs uniteRuns(const Runs &left, const Runs &right);
Runs intersectRuns(const Runs &left, const Runs &right);
Runs subtractRuns(const Runs &left, const Runs &right);
/// Sorts and merges.
void normalize(Runs &runs);

/// The number of common elements of both sets.
int64_t countCommon(const Shape &shape, const ElementSet &left,
                    const ElementSet &right);

ElementSet unite(const Shape &shape, const ElementSet &left,
                 const ElementSet &right);
ElementSet intersect(const Shape &shape, const ElementSet &left,
                     const ElementSet &right);
ElementSet subtract(const Shape &shape, const ElementSet &left,
                    const ElementSet &right);
/// The elements at most `width[d]` away along each dimension d (with
/// `corners`), or along only one dimension. Bit d of `periodic`: the first
/// elements of dimension d follow its last ones.
ElementSet widen(const Shape &shape, const ElementSet &set,
                 const int64_t *width, bool corners, uint32_t periodic = 0);
/// The boxes, at most two, that `box` becomes if it is widened along a periodic
/// dimension.
std::vector<Box> widenPeriodic(const Shape &shape, const Box &box,
                               int dimension, int64_t width);

} // namespace sluice::regions

#endif // SLUICE_RUNTIME_REGIONS_PARTITIONS_ELEMENTSET_H
