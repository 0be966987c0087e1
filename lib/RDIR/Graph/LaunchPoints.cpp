//===- LaunchPoints.cpp - Where two points of a launch meet ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Different points i and j with M1 i + c1 = M2 j + c2 are the integer points of
// polyhedra, one for each dimension in which i and j differ first. MLIR's
// Presburger library decides exactly whether a polyhedron contains such a
// point.
//
//===----------------------------------------------------------------------===//

#include "LaunchPoints.h"

#include "mlir/Analysis/Presburger/IntegerRelation.h"

#include <algorithm>
#include <set>

using namespace sluice::rdir;
using llvm::DynamicAPInt;
using mlir::presburger::IntegerPolyhedron;
using mlir::presburger::PresburgerSpace;

/// The length of the rows.
static size_t columnsOf(const Projection &projection) {
  return projection.matrix.size() / std::max(1u, projection.numColorDims);
}

/// True if each dimension alone determines one coordinate of a color: different
/// points then have different colors, for any extents.
static bool separates(const Projection &projection, size_t numDims) {
  std::vector<bool> isSeparated(numDims);
  const size_t columns = columnsOf(projection);
  for (unsigned row = 0; row < projection.numColorDims; ++row) {
    const int64_t *factors = &projection.matrix[row * columns];
    size_t used = 0, last = 0;
    for (size_t dim = 0; dim < numDims; ++dim)
      if (factors[dim] != 0) {
        ++used;
        last = dim;
      }
    if (used == 1)
      isSeparated[last] = true;
  }
  return std::find(isSeparated.begin(), isSeparated.end(), false) ==
         isSeparated.end();
}

static bool isSameMap(const Projection &a, const Projection &b) {
  return a.numColorDims == b.numColorDims && a.matrix == b.matrix &&
         a.offset == b.offset && !dependOnShared(a, b);
}

std::vector<SharedNumber>
sluice::rdir::sharedNumbers(const Projection &projection) {
  std::vector<SharedNumber> result;
  if (!projection.isOpaque || projection.matrix.empty())
    return result;
  const size_t columns = columnsOf(projection);
  const size_t count = projection.colors.size() - projection.numColorDims;
  for (size_t i = 0; i < count; ++i) {
    SharedNumber &number = result.emplace_back();
    number.name = projection.colors[projection.numColorDims + i];
    for (unsigned row = 0; row < projection.numColorDims; ++row)
      number.factors.push_back(
          projection.matrix[row * columns + columns - count + i]);
  }
  return result;
}

/// The numbers that shift the colors of the two differently: row by row, the
/// difference of the factors.
static std::vector<SharedNumber> differences(const Projection &a,
                                             const Projection &b) {
  std::vector<SharedNumber> result = sharedNumbers(a);
  for (const SharedNumber &other : sharedNumbers(b)) {
    auto known =
        std::find_if(result.begin(), result.end(), [&](const auto &number) {
          return number.name == other.name;
        });
    if (known == result.end()) {
      result.push_back(
          {other.name, std::vector<int64_t>(other.factors.size())});
      known = std::prev(result.end());
    }
    for (size_t row = 0; row < other.factors.size(); ++row)
      known->factors[row] -= other.factors[row];
  }
  std::erase_if(result, [](const SharedNumber &number) {
    return std::all_of(number.factors.begin(), number.factors.end(),
                       [](int64_t factor) { return factor == 0; });
  });
  return result;
}

bool sluice::rdir::dependOnShared(const Projection &a, const Projection &b) {
  return !differences(a, b).empty();
}

/// The number, or the nearest end of the range.
static int64_t clamp(const DynamicAPInt &number) {
  if (number > DynamicAPInt(INT64_MAX))
    return INT64_MAX;
  return number < DynamicAPInt(INT64_MIN) ? INT64_MIN : int64_t(number);
}

namespace {
/// Variables: the first point's coordinates, then the second's, then the
/// numbers that both share.
class MeetingSystem {
public:
  MeetingSystem(const LaunchDomain &domain, const Projection &a,
                const Projection &b, int64_t unknownExtent)
      : numDims(domain.extents.size()), shared(differences(a, b)),
        system(PresburgerSpace::getSetSpace(2 * numDims + shared.size())),
        isBounded(shared.empty()) {
    for (size_t variable = 0; variable < 2 * numDims; ++variable)
      bound(variable, domain.extents[variable % numDims], unknownExtent);
    for (size_t i = 0; i < shared.size(); ++i)
      if (shared[i].name < 0)
        bound(2 * numDims + i, 0, 0);
    for (unsigned row = 0; row < a.numColorDims; ++row)
      equate(a, b, row);
  }

  /// A solution in which both points are the same.
  std::optional<PointPair> solveForOne() const {
    IntegerPolyhedron poly = system;
    for (size_t dim = 0; dim < numDims; ++dim)
      poly.addEquality(equality(dim));
    return sampleOf(poly);
  }

  /// A solution in which `dim` is the first dimension where the points differ,
  /// with the first point's coordinate smaller, or greater.
  std::optional<PointPair> solve(size_t dim, bool isSmaller) const {
    IntegerPolyhedron poly = system;
    for (size_t other = 0; other < dim; ++other)
      poly.addEquality(equality(other));
    Row differ = row();
    differ[isSmaller ? numDims + dim : dim] = 1;
    differ[isSmaller ? dim : numDims + dim] = -1;
    differ.back() = -1;
    poly.addInequality(differ);
    return sampleOf(poly);
  }

private:
  using Row = llvm::SmallVector<DynamicAPInt, 8>;
  Row row() const { return Row(2 * numDims + shared.size() + 1); }

  /// The points have the same coordinate in a dimension.
  Row equality(size_t dim) const {
    Row equal = row();
    equal[dim] = 1;
    equal[numDims + dim] = -1;
    return equal;
  }

  std::optional<PointPair> sampleOf(const IntegerPolyhedron &poly) const {
    auto sample = poly.findIntegerSample();
    if (!sample)
      return std::nullopt;
    // The smallest solution is easiest to read. Without bounds, the search
    // might not terminate.
    if (isBounded)
      if (auto least = poly.findIntegerLexMin(); least.isBounded())
        sample->assign(least->begin(), least->end());
    PointPair pair;
    for (size_t i = 0; i < numDims; ++i) {
      pair.first.push_back(clamp((*sample)[i]));
      pair.second.push_back(clamp((*sample)[numDims + i]));
    }
    return pair;
  }

  void bound(size_t variable, int64_t extent, int64_t unknownExtent) {
    Row low = row();
    low[variable] = 1;
    system.addInequality(low);
    if (extent == 0)
      extent = unknownExtent;
    if (extent == 0) {
      isBounded = false;
      return;
    }
    Row high = row();
    high[variable] = -1;
    high.back() = DynamicAPInt(extent) - DynamicAPInt(1);
    system.addInequality(high);
  }

  void equate(const Projection &a, const Projection &b, unsigned colorDim) {
    Row equal = row();
    for (size_t dim = 0; dim < numDims; ++dim) {
      equal[dim] = DynamicAPInt(a.matrix[colorDim * columnsOf(a) + dim]);
      equal[numDims + dim] =
          -DynamicAPInt(b.matrix[colorDim * columnsOf(b) + dim]);
    }
    for (size_t i = 0; i < shared.size(); ++i)
      equal[2 * numDims + i] = DynamicAPInt(shared[i].factors[colorDim]);
    equal.back() =
        DynamicAPInt(a.offset[colorDim]) - DynamicAPInt(b.offset[colorDim]);
    system.addEquality(equal);
  }

  size_t numDims;
  std::vector<SharedNumber> shared;
  IntegerPolyhedron system;
  bool isBounded;
};
} // namespace

std::optional<PointPair> sluice::rdir::findMeeting(const LaunchDomain &domain,
                                                   const Projection &a,
                                                   const Projection &b,
                                                   int64_t unknownExtent) {
  size_t numDims = domain.extents.size();
  bool isSame = isSameMap(a, b);
  if (isSame && separates(a, numDims))
    return std::nullopt;
  MeetingSystem system(domain, a, b, unknownExtent);
  for (size_t dim = 0; dim < numDims; ++dim) {
    if (auto pair = system.solve(dim, /*isSmaller=*/true))
      return pair;
    if (isSame)
      continue;
    if (auto pair = system.solve(dim, /*isSmaller=*/false))
      return pair;
  }
  return std::nullopt;
}

std::optional<PointPair>
sluice::rdir::findMeetingOfOne(const LaunchDomain &domain, const Projection &a,
                               const Projection &b, int64_t unknownExtent) {
  return MeetingSystem(domain, a, b, unknownExtent).solveForOne();
}

uint64_t sluice::rdir::countPoints(const LaunchDomain &domain, uint64_t limit) {
  uint64_t count = 1;
  for (int64_t extent : domain.extents) {
    uint64_t factor = extent == 0 ? 2 : uint64_t(std::max<int64_t>(extent, 0));
    if (factor != 0 && count > limit / factor)
      count = limit;
    else
      count *= factor;
  }
  return std::min(count, limit);
}

bool sluice::rdir::nextPoint(const LaunchDomain &domain, Point &point) {
  for (size_t dim = point.size(); dim-- > 0;) {
    int64_t extent = domain.extents[dim] == 0 ? 2 : domain.extents[dim];
    if (++point[dim] < extent)
      return true;
    point[dim] = 0;
  }
  return false;
}

Point sluice::rdir::colorOf(const Projection &projection, const Point &point) {
  Point color;
  for (unsigned row = 0; row < projection.numColorDims; ++row) {
    DynamicAPInt sum(projection.offset[row]);
    for (size_t dim = 0; dim < point.size(); ++dim)
      sum += DynamicAPInt(projection.matrix[row * point.size() + dim]) *
             DynamicAPInt(point[dim]);
    color.push_back(clamp(sum));
  }
  return color;
}

std::optional<int64_t> sluice::rdir::linearColor(const Projection &projection,
                                                 const Point &color) {
  int64_t linear = 0;
  for (size_t dim = 0; dim < color.size(); ++dim) {
    int64_t extent = projection.colors[dim];
    if (color[dim] < 0 || color[dim] >= extent ||
        __builtin_mul_overflow(linear, extent, &linear) ||
        __builtin_add_overflow(linear, color[dim], &linear))
      return std::nullopt;
  }
  return linear;
}

std::string sluice::rdir::text(const Point &point) {
  std::string result = "(";
  for (size_t dim = 0; dim < point.size(); ++dim)
    result += (dim ? ", " : "") + std::to_string(point[dim]);
  return result + ")";
}

bool sluice::rdir::isConsistent(const Projection &projection, size_t numDims) {
  if (projection.isOpaque)
    return true;
  return projection.matrix.size() == projection.numColorDims * numDims &&
         projection.offset.size() == projection.numColorDims &&
         projection.colors.size() == projection.numColorDims;
}

std::optional<std::vector<Point>>
sluice::rdir::colorsOfPoints(const LaunchDomain &domain,
                             const Projection &projection) {
  constexpr uint64_t maxPoints = 65536;
  bool isKnown =
      !projection.isOpaque && countPoints(domain, maxPoints + 1) <= maxPoints;
  for (int64_t extent : domain.extents)
    isKnown &= extent != 0;
  if (!isKnown)
    return std::nullopt;
  std::set<Point> colors;
  Point point(domain.extents.size());
  do
    colors.insert(colorOf(projection, point));
  while (nextPoint(domain, point));
  return std::vector<Point>(colors.begin(), colors.end());
}

std::optional<std::vector<int64_t>>
sluice::rdir::linearColors(const Graph &graph, const Edge &edge,
                           NodeIndex task) {
  const Projection &map = graph.projection(edge.projection);
  auto colors = colorsOfPoints(graph.domain(graph.node(task).domain), map);
  if (!colors)
    return std::nullopt;
  std::vector<int64_t> result;
  for (const Point &color : *colors) {
    std::optional<int64_t> linear = linearColor(map, color);
    if (!linear)
      return std::nullopt;
    result.push_back(*linear);
  }
  return result;
}

/// True if each coordinate of the colors takes all values of its extent, for
/// any values of the other coordinates.
static bool coversRows(const LaunchDomain &domain,
                       const Projection &projection) {
  size_t numDims = domain.extents.size();
  std::vector<bool> isUsed(numDims);
  for (unsigned row = 0; row < projection.numColorDims; ++row) {
    int64_t extent = projection.colors[row];
    const int64_t *factors = &projection.matrix[row * numDims];
    size_t dim = std::find_if(factors, factors + numDims,
                              [](int64_t factor) { return factor != 0; }) -
                 factors;
    if (extent == 1)
      continue;
    bool isOne =
        dim < numDims && !isUsed[dim] &&
        (factors[dim] == 1 || factors[dim] == -1) &&
        std::count(factors, factors + numDims, 0) + 1 == ptrdiff_t(numDims);
    if (!isOne || extent == 0 || domain.extents[dim] < extent)
      return false;
    int64_t first = factors[dim] == 1 ? 0 : domain.extents[dim] - 1;
    if (projection.offset[row] != first)
      return false;
    isUsed[dim] = true;
  }
  return true;
}

bool sluice::rdir::coversColors(const LaunchDomain &domain,
                                const Projection &projection) {
  if (projection.isOnto)
    return true;
  if (projection.isOpaque)
    return false;
  if (coversRows(domain, projection))
    return true;
  uint64_t numColors = 1;
  for (int64_t extent : projection.colors)
    if (extent == 0 ||
        __builtin_mul_overflow(numColors, uint64_t(extent), &numColors))
      return false;
  auto colors = colorsOfPoints(domain, projection);
  return colors && colors->size() == numColors;
}

/// The point at which a row is least or greatest; coordinates of unknown extent
/// are 0.
static Point extremePoint(const LaunchDomain &domain, const int64_t *factors,
                          bool isGreatest) {
  Point point;
  for (size_t dim = 0; dim < domain.extents.size(); ++dim) {
    bool isLast = factors[dim] != 0 && (factors[dim] > 0) == isGreatest;
    int64_t extent = domain.extents[dim];
    point.push_back(isLast && extent > 0 ? extent - 1 : 0);
  }
  return point;
}

ColorRange sluice::rdir::findOutside(const LaunchDomain &domain,
                                     const Projection &projection) {
  ColorRange range;
  size_t numDims = domain.extents.size();
  for (unsigned row = 0; row < projection.numColorDims; ++row) {
    const int64_t *factors = projection.matrix.data() + row * numDims;
    int64_t numColors = projection.colors[row];
    for (bool isGreatest : {false, true}) {
      Point point = extremePoint(domain, factors, isGreatest);
      int64_t color = colorOf(projection, point)[row];
      if (color < 0 || (numColors != 0 && color >= numColors)) {
        range.outside = point;
        return range;
      }
    }
    range.isOpen |= numColors == 0;
    for (size_t dim = 0; dim < numDims; ++dim)
      range.isOpen |= domain.extents[dim] == 0 && factors[dim] != 0;
  }
  return range;
}
