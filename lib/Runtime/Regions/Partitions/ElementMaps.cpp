//===- ElementMaps.cpp - Elements computed from coordinates ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything is computed as intervals of single coordinates, in time that
// follows the elements and rows that are named.
//
//===----------------------------------------------------------------------===//

#include "ElementMaps.h"

#include "CoordinateLines.h"

using namespace sluice;
using namespace sluice::regions;

namespace {
/// Runs in any order, of which many may be equal.
class NamedRuns {
public:
  void add(int64_t begin, int64_t end) {
    if (!runs.empty() && runs.back().end == begin) {
      runs.back().end = end;
      return;
    }
    runs.push_back({begin, end});
    if (runs.size() < limit)
      return;
    normalize(runs);
    limit = std::max(limit, 2 * runs.size());
  }
  Runs take() { return std::move(runs); }

private:
  Runs runs;
  size_t limit = 1 << 16;
};
} // namespace

static CoordinateRanges intersect(const CoordinateRanges &left,
                                  const CoordinateRanges &right) {
  CoordinateRanges common;
  for (auto a = left.begin(), b = right.begin();
       a != left.end() && b != right.end();) {
    CoordinateRange both = {std::max(a->begin, b->begin),
                            std::min(a->end, b->end)};
    if (both.begin < both.end)
      common.push_back(both);
    if (a->end < b->end)
      ++a;
    else
      ++b;
  }
  return common;
}

/// The line along `dimension`, at the other coordinates.
static CoordinateLine lineOf(const SluiceElementCoordinate &coordinate,
                             int dimension, const int64_t *others) {
  Wide rest = coordinate.offset;
  for (int d = 0; d < SLUICE_MAX_RANK; ++d)
    if (d != dimension)
      rest += Wide(coordinate.factors[d]) * others[d];
  return {dimension < 0 ? 0 : coordinate.factors[dimension], rest,
          coordinate.divisor, coordinate.modulus};
}

namespace {
/// All coordinates of a map along one dimension.
class MapLines {
public:
  MapLines(ElementMap map, int dimension, const int64_t *others)
      : count(map.size()) {
    for (size_t i = 0; i < count; ++i)
      lines[i] = lineOf(map[i], dimension, others);
  }
  /// The position of the computed element, or -1.
  int64_t positionAt(int64_t x, const Shape &to) const {
    int64_t at[SLUICE_MAX_RANK] = {0, 0, 0};
    for (size_t i = 0; i < count; ++i) {
      const Wide value = lines[i].value(x);
      if (value < 0 || value >= to.extent[i])
        return -1;
      at[i] = int64_t(value);
    }
    return to.position(at);
  }

private:
  size_t count;
  CoordinateLine lines[SLUICE_MAX_RANK];
};
} // namespace

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

namespace {
/// Finds the elements of a shape whose coordinates lie in intervals of their
/// own, and for which further conditions hold.
class ElementFinder {
public:
  explicit ElementFinder(const Shape &shape) : shape(shape) {
    for (int d = 0; d < SLUICE_MAX_RANK; ++d)
      allowed[d] = {{0, shape.extent[d]}};
  }
  void allow(int dimension, const CoordinateRanges &intervals) {
    allowed[dimension] = intersect(allowed[dimension], intervals);
  }
  /// The value must be in the interval; the last of its coordinates is
  /// `dimension`.
  void require(const SluiceElementCoordinate &coordinate, int dimension,
               CoordinateRange values) {
    conditions[dimension].push_back({&coordinate, values});
  }
  void find(NamedRuns &out) {
    for (const CoordinateRanges &each : allowed)
      if (each.empty())
        return;
    int64_t at[SLUICE_MAX_RANK] = {0, 0, 0};
    visit(0, at, out);
  }
  /// If they are the elements of a box.
  bool findBox(Box &box) const;

private:
  struct Condition {
    const SluiceElementCoordinate *coordinate;
    CoordinateRange values;
  };
  bool isFree(int dimension) const {
    return conditions[dimension].empty() && allowed[dimension].size() == 1 &&
           allowed[dimension][0].begin == 0 &&
           allowed[dimension][0].end == shape.extent[dimension];
  }
  CoordinateRanges narrowed(int dimension, const int64_t *at) const;
  bool decidesLater(int dimension) const;
  bool visit(int dimension, int64_t *at, NamedRuns &out);

  const Shape &shape;
  CoordinateRanges allowed[SLUICE_MAX_RANK];
  std::vector<Condition> conditions[SLUICE_MAX_RANK];
};
} // namespace

bool ElementFinder::findBox(Box &box) const {
  for (int d = 0; d < SLUICE_MAX_RANK; ++d) {
    if (!conditions[d].empty() || allowed[d].size() > 1)
      return false;
    box.lower[d] = allowed[d].empty() ? 0 : allowed[d][0].begin;
    box.upper[d] = allowed[d].empty() ? 0 : allowed[d][0].end;
  }
  return true;
}

/// The coordinates in one dimension for which the conditions may hold, after
/// those before it are chosen: the conditions on it exactly, and those on later
/// ones as far as their bounds say.
CoordinateRanges ElementFinder::narrowed(int dimension,
                                         const int64_t *at) const {
  CoordinateRanges here = allowed[dimension];
  for (int d = dimension; d < SLUICE_MAX_RANK; ++d)
    for (const Condition &condition : conditions[d]) {
      CoordinateLine line = lineOf(*condition.coordinate, dimension, at);
      Wide least = 0, most = 0;
      for (int later = dimension + 1; later <= d; ++later) {
        const int64_t factor = condition.coordinate->factors[later];
        Wide low = Wide(factor) * allowed[later].front().begin;
        Wide high = Wide(factor) * (allowed[later].back().end - 1);
        if (low > high)
          std::swap(low, high);
        least += low;
        most += high;
      }
      CoordinateRanges solutions;
      for (const CoordinateRange &each : here)
        if (d == dimension)
          line.solve(each, condition.values, solutions);
        else
          line.narrow(each, condition.values, least, most, solutions);
      tidy(solutions);
      here = std::move(solutions);
    }
  return here;
}

/// Whether a coordinate changes which later ones there are.
bool ElementFinder::decidesLater(int dimension) const {
  for (int d = dimension + 1; d < SLUICE_MAX_RANK; ++d)
    for (const Condition &condition : conditions[d])
      if (condition.coordinate->factors[dimension] != 0)
        return true;
  return false;
}

/// Whether there are any.
bool ElementFinder::visit(int dimension, int64_t *at, NamedRuns &out) {
  bool isLast = true, isFound = false;
  for (int d = dimension + 1; d < SLUICE_MAX_RANK; ++d)
    isLast &= isFree(d);
  const bool decides = decidesLater(dimension);
  for (const CoordinateRange &each : narrowed(dimension, at)) {
    if (isLast) {
      at[dimension] = each.begin;
      const int64_t begin = shape.position(at);
      out.add(begin, begin + (each.end - each.begin) * shape.stride(dimension));
      isFound = true;
      continue;
    }
    for (at[dimension] = each.begin; at[dimension] < each.end;
         ++at[dimension]) {
      const bool found = visit(dimension + 1, at, out);
      isFound |= found;
      if (!found && !decides) {
        at[dimension] = 0;
        return false; // nor for all others
      }
    }
  }
  at[dimension] = 0;
  return isFound;
}

/// The only coordinate on which a coordinate depends; -1: none, -2: several.
static int onlyDimension(const SluiceElementCoordinate &coordinate) {
  int only = -1;
  for (int d = 0; d < SLUICE_MAX_RANK; ++d)
    if (coordinate.factors[d] != 0)
      only = only == -1 ? d : -2;
  return only;
}

/// Calls a function for boxes that have the elements of a set together.
template <typename Function>
static void forEachBox(const Shape &shape, const ElementSet &set,
                       Function &&function) {
  if (set.isEmpty())
    return;
  if (set.isBox())
    return function(set.bounds());
  const int64_t line = shape.extent[shape.rank - 1];
  for (SluiceRun run : set.storedRuns())
    while (run.begin < run.end) {
      const int64_t stop = std::min(run.end, (run.begin / line + 1) * line);
      Box box;
      shape.coordinates(run.begin, box.lower);
      std::copy_n(box.lower, SLUICE_MAX_RANK, box.upper);
      for (int64_t &upper : box.upper)
        ++upper;
      box.upper[shape.rank - 1] += stop - run.begin - 1;
      function(box);
      run.begin = stop;
    }
}

//===----------------------------------------------------------------------===//
// Preimages
//===----------------------------------------------------------------------===//

static ElementFinder preimageFinder(const Shape &from, ElementMap map,
                                    const Box &box) {
  static constexpr int64_t none[SLUICE_MAX_RANK] = {0, 0, 0};
  ElementFinder finder(from);
  for (size_t i = 0; i < map.size(); ++i) {
    const CoordinateRange values = {box.lower[i], box.upper[i]};
    const int only = onlyDimension(map[i]);
    if (only == -2) {
      int last = SLUICE_MAX_RANK - 1;
      while (map[i].factors[last] == 0)
        --last;
      finder.require(map[i], last, values);
      continue;
    }
    const int dimension = std::max(only, 0);
    CoordinateRanges solutions;
    lineOf(map[i], only, none)
        .solve({0, from.extent[dimension]}, values, solutions);
    tidy(solutions);
    finder.allow(dimension, solutions);
  }
  return finder;
}

ElementSet sluice::regions::preimageOf(const Shape &from, ElementMap map,
                                       const Shape &to, const ElementSet &set) {
  if (set.isBox() && !set.isEmpty())
    if (Box box; preimageFinder(from, map, set.bounds()).findBox(box))
      return ElementSet(box);
  NamedRuns runs;
  forEachBox(to, set, [&](const Box &box) {
    preimageFinder(from, map, box).find(runs);
  });
  return ElementSet::ofAnyRuns(from, runs.take());
}

bool sluice::regions::isFoundByElements(const Shape &from, ElementMap map,
                                        const Shape &to) {
  bool isJoint = false;
  for (const SluiceElementCoordinate &coordinate : map)
    isJoint |= onlyDimension(coordinate) == -2;
  return isJoint && from.count() <= 1 << 26 &&
         to.count() >= from.extent[from.rank - 1];
}

std::vector<Runs> sluice::regions::namingRuns(const Shape &from, ElementMap map,
                                              const Shape &to) {
  std::vector<Runs> result(to.count());
  const int last = from.rank - 1;
  const int64_t line = from.extent[last];
  int64_t at[SLUICE_MAX_RANK];
  for (int64_t row = 0; row < from.count(); row += line) {
    from.coordinates(row, at);
    const MapLines lines(map, last, at);
    for (int64_t x = 0; x < line; ++x) {
      const int64_t named = lines.positionAt(x, to);
      if (named < 0)
        continue;
      Runs &runs = result[named];
      if (!runs.empty() && runs.back().end == row + x)
        ++runs.back().end;
      else
        runs.push_back({row + x, row + x + 1});
    }
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Images
//===----------------------------------------------------------------------===//

/// True if each coordinate depends on one of its own, or on none.
static bool isSeparable(ElementMap map) {
  bool isUsed[SLUICE_MAX_RANK] = {false, false, false};
  for (const SluiceElementCoordinate &coordinate : map) {
    const int only = onlyDimension(coordinate);
    if (only == -2 || (only >= 0 && isUsed[only]))
      return false;
    if (only >= 0)
      isUsed[only] = true;
  }
  return true;
}

/// The image of a box if only `varying` coordinates of its elements differ, or
/// the map is separable.
static ElementFinder imageFinder(const Box &box, ElementMap map,
                                 const Shape &to) {
  ElementFinder finder(to);
  for (size_t i = 0; i < map.size(); ++i) {
    int dimension = -1;
    for (int d = 0; d < SLUICE_MAX_RANK; ++d)
      if (map[i].factors[d] != 0 && box.upper[d] - box.lower[d] > 1)
        dimension = d;
    const int own = std::max(dimension, 0);
    const CoordinateLine line = lineOf(map[i], dimension, box.lower);
    finder.allow(int(i), line.valuesOf({box.lower[own], box.upper[own]},
                                       {0, to.extent[i]}));
  }
  return finder;
}

/// Row by row; element by element where several coordinates change in a row.
static void addRows(const Box &box, ElementMap map, const Shape &from,
                    const Shape &to, NamedRuns &runs) {
  const int last = from.rank - 1;
  int numVarying = 0;
  for (const SluiceElementCoordinate &coordinate : map)
    numVarying += coordinate.factors[last] != 0;
  Box row = box;
  int64_t at[SLUICE_MAX_RANK];
  const int64_t ends[] = {last > 0 ? box.upper[0] : box.lower[0] + 1,
                          last > 1 ? box.upper[1] : box.lower[1] + 1};
  for (at[0] = box.lower[0]; at[0] < ends[0]; ++at[0])
    for (at[1] = box.lower[1]; at[1] < ends[1]; ++at[1]) {
      for (int d = 0; d < last; ++d) {
        row.lower[d] = at[d];
        row.upper[d] = at[d] + 1;
      }
      if (numVarying <= 1) {
        imageFinder(row, map, to).find(runs);
        continue;
      }
      const MapLines lines(map, last, row.lower);
      for (int64_t x = box.lower[last]; x < box.upper[last]; ++x)
        if (const int64_t named = lines.positionAt(x, to); named >= 0)
          runs.add(named, named + 1);
    }
}

ElementSet sluice::regions::imageOf(const Shape &from, const ElementSet &set,
                                    ElementMap map, const Shape &to) {
  const bool isProduct = isSeparable(map);
  if (isProduct && set.isBox() && !set.isEmpty())
    if (Box box; imageFinder(set.bounds(), map, to).findBox(box))
      return ElementSet(box);
  NamedRuns runs;
  forEachBox(from, set, [&](const Box &box) {
    if (isProduct)
      imageFinder(box, map, to).find(runs);
    else
      addRows(box, map, from, to, runs);
  });
  return ElementSet::ofAnyRuns(to, runs.take());
}
