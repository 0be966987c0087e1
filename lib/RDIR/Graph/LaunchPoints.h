//===- LaunchPoints.h - Where two points of a launch meet -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Answers the questions about integers that the rules of launches need.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_RDIR_GRAPH_LAUNCHPOINTS_H
#define SLUICE_LIB_RDIR_GRAPH_LAUNCHPOINTS_H

#include "sluice/RDIR/Graph.h"

#include <optional>
#include <string>

namespace sluice::rdir {

using Point = std::vector<int64_t>;

struct PointPair {
  Point first, second;
};

/// A number that all points of a launch share and that shifts their colors: an
/// iteration of a loop, which is not negative, or a parameter. A projection
/// with such numbers is opaque, since it alone does not determine colors, but
/// it has a matrix: each row has a factor for each dimension and then one for
/// each number. `colors` ends with the names of the numbers.
struct SharedNumber {
  /// Equal for the same number in all projections; negative for iterations.
  int64_t name = 0;
  /// By row.
  std::vector<int64_t> factors;
};
std::vector<SharedNumber> sharedNumbers(const Projection &projection);
/// True unless a function computes the colors.
inline bool isAffine(const Projection &projection) {
  return !projection.isOpaque || !projection.matrix.empty();
}
/// True if the meetings of the two depend on shared numbers.
bool dependOnShared(const Projection &a, const Projection &b);

/// Two different points of the domain such that the color of one by `a` is the
/// color of the other by `b`. Exact over the integers. Unknown extents count as
/// `unknownExtent`, or as unbounded if that is 0; shared numbers have any
/// value.
std::optional<PointPair> findMeeting(const LaunchDomain &domain,
                                     const Projection &a, const Projection &b,
                                     int64_t unknownExtent);

/// A point to which both projections give the same color, returned as both
/// points of the pair.
std::optional<PointPair> findMeetingOfOne(const LaunchDomain &domain,
                                          const Projection &a,
                                          const Projection &b,
                                          int64_t unknownExtent);

/// The number of points, at most `limit`; an unknown extent counts as 2.
uint64_t countPoints(const LaunchDomain &domain, uint64_t limit);
/// Steps through the points, last dimension first; false after the last.
bool nextPoint(const LaunchDomain &domain, Point &point);

/// Coordinates that do not fit become the least or the greatest number, which
/// is outside of all colors.
Point colorOf(const Projection &projection, const Point &point);
/// The linear color, row-major. None if extents are unknown, or if the color is
/// outside of them or does not fit.
std::optional<int64_t> linearColor(const Projection &projection,
                                   const Point &color);
/// "(1, 2)".
std::string text(const Point &point);

/// True if the projection's numbers fit a domain of `numDims` dimensions.
bool isConsistent(const Projection &projection, size_t numDims);

/// True if the points of the launch certainly have all colors of the partition.
bool coversColors(const LaunchDomain &domain, const Projection &projection);
/// The colors of the points, each once. None if they are not known, or too
/// many.
std::optional<std::vector<Point>> colorsOfPoints(const LaunchDomain &domain,
                                                 const Projection &projection);

/// The linear colors that the points of a launch use of an edge's data node.
/// None if they are not known, or too many.
std::optional<std::vector<int64_t>>
linearColors(const Graph &graph, const Edge &edge, NodeIndex task);

/// Whether the colors of a launch's points are colors of the partition.
struct ColorRange {
  /// A point whose color is certainly outside.
  std::optional<Point> outside;
  /// The answer depends on sizes that are not known yet.
  bool isOpen = false;
};
ColorRange findOutside(const LaunchDomain &domain,
                       const Projection &projection);

} // namespace sluice::rdir

#endif // SLUICE_LIB_RDIR_GRAPH_LAUNCHPOINTS_H
