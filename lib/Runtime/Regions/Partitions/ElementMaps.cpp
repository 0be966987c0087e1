//===- ElementMaps.cpp - Elements computed from coordinates ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything is computed as intervals of single coordinates, in time that
// follows the elements and rows that are named.
//
//===----------------------------------------------------------------------===//

#include "ElementMaps.h"

using namespace sluice;
using namespace sluice::regions;

namespace {
using Wide = __int128;

/// Coordinates begin <= c < end.
struct CoordinateRange {
  int64_t begin, end;
};
/// Sorted, disjoint and not empty.
using CoordinateRanges = std::vector<CoordinateRange>;

/// `factor * x + rest`, divided and taken modulo, for one varying `x`.
struct CoordinateLine {
  int64_t factor;
  Wide rest;
  int64_t divisor, modulus;

  Wide quotient(int64_t x) const;
  /// Those x in `range` for which the value is in `values`.
  void solve(CoordinateRange range, CoordinateRange values,
             CoordinateRanges &out) const;
  /// The values in `values` for the x in `range`.
  CoordinateRanges valuesOf(CoordinateRange range,
                            CoordinateRange values) const;

private:
  CoordinateRange solveQuotient(CoordinateRange range, Wide low,
                                Wide high) const;
};
} // namespace

static Wide floorOf(Wide a, Wide b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static Wide remainderOf(Wide a, Wide b) { return a - floorOf(a, b) * b; }

Wide CoordinateLine::quotient(int64_t x) const {
  return floorOf(Wide(factor) * x + rest, divisor);
}

/// Sorts and joins.
static void tidy(CoordinateRanges &intervals) {
  std::sort(intervals.begin(), intervals.end(),
            [](const CoordinateRange &a, const CoordinateRange &b) {
              return a.begin < b.begin;
            });
  size_t size = 0;
  for (const CoordinateRange &each : intervals) {
    if (each.begin >= each.end)
      continue;
    if (size && each.begin <= intervals[size - 1].end)
      intervals[size - 1].end = std::max(intervals[size - 1].end, each.end);
    else
      intervals[size++] = each;
  }
  intervals.resize(size);
}

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

/// low <= quotient < high; the factor is not 0.
CoordinateRange CoordinateLine::solveQuotient(CoordinateRange range, Wide low,
                                              Wide high) const {
  // The sum lies in [low * divisor, high * divisor).
  const Wide least = low * divisor - rest, limit = high * divisor - rest;
  Wide begin, end;
  if (factor > 0) {
    begin = -floorOf(-least, factor);
    end = -floorOf(-limit, factor);
  } else {
    begin = floorOf(limit, factor) + 1;
    end = floorOf(least, factor) + 1;
  }
  return {int64_t(std::clamp<Wide>(begin, range.begin, range.end)),
          int64_t(std::clamp<Wide>(end, range.begin, range.end))};
}

void CoordinateLine::solve(CoordinateRange range, CoordinateRange values,
                           CoordinateRanges &out) const {
  if (range.begin >= range.end)
    return;
  if (modulus == 0 && factor != 0) {
    out.push_back(solveQuotient(range, values.begin, values.end));
    return;
  }
  if (modulus)
    values.end = std::min(values.end, modulus);
  if (values.begin >= values.end)
    return;
  if (modulus && values.end - values.begin == modulus) {
    out.push_back(range);
    return;
  }
  auto isIn = [&](int64_t x) {
    Wide value = quotient(x);
    if (modulus)
      value = remainderOf(value, modulus);
    return value >= values.begin && value < values.end;
  };
  if (factor == 0) {
    if (isIn(range.begin))
      out.push_back(range);
    return;
  }
  // Period by period, or element by element if these are fewer.
  Wide first = floorOf(quotient(range.begin), modulus);
  Wide last = floorOf(quotient(range.end - 1), modulus);
  if (first > last)
    std::swap(first, last);
  if (last - first >= range.end - range.begin) {
    for (int64_t x = range.begin; x < range.end; ++x)
      if (isIn(x))
        out.push_back({x, x + 1});
    return;
  }
  for (Wide period = first; period <= last; ++period)
    out.push_back(solveQuotient(range, values.begin + period * modulus,
                                values.end + period * modulus));
}

CoordinateRanges CoordinateLine::valuesOf(CoordinateRange range,
                                          CoordinateRange values) const {
  CoordinateRanges result;
  if (modulus)
    values.end = std::min(values.end, modulus);
  else if (factor != 0)
    range = solveQuotient(range, values.begin, values.end);
  if (range.begin >= range.end || values.begin >= values.end)
    return result;
  auto add = [&](Wide begin, Wide end) {
    result.push_back(
        {int64_t(std::clamp<Wide>(begin, values.begin, values.end)),
         int64_t(std::clamp<Wide>(end, values.begin, values.end))});
  };
  Wide low = quotient(range.begin), high = quotient(range.end - 1);
  if (low > high)
    std::swap(low, high);
  const bool isDense = (factor < 0 ? -factor : factor) <= divisor;
  if (!isDense) {
    for (int64_t x = range.begin; x < range.end; ++x) {
      Wide value = quotient(x);
      if (modulus)
        value = remainderOf(value, modulus);
      add(value, value + 1);
    }
  } else if (modulus == 0) {
    add(low, high + 1);
  } else if (high - low + 1 >= modulus) {
    add(0, modulus);
  } else {
    const Wide begin = remainderOf(low, modulus);
    const Wide end = begin + (high - low + 1);
    add(begin, std::min<Wide>(end, modulus));
    add(0, end - modulus);
  }
  tidy(result);
  return result;
}

static CoordinateLine lineOf(const SluiceElementCoordinate &coordinate,
                             int dimension, const int64_t *others) {
  Wide rest = coordinate.offset;
  for (int d = 0; d < SLUICE_MAX_RANK; ++d)
    if (d != dimension)
      rest += Wide(coordinate.factors[d]) * others[d];
  return {dimension < 0 ? 0 : coordinate.factors[dimension], rest,
          coordinate.divisor, coordinate.modulus};
}

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
  void find(Runs &out) {
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
  void visit(int dimension, int64_t *at, Runs &out);

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

void ElementFinder::visit(int dimension, int64_t *at, Runs &out) {
  CoordinateRanges here = allowed[dimension];
  for (const Condition &condition : conditions[dimension]) {
    CoordinateRanges solutions;
    const CoordinateLine line = lineOf(*condition.coordinate, dimension, at);
    for (const CoordinateRange &each : here)
      line.solve(each, condition.values, solutions);
    tidy(solutions);
    here = std::move(solutions);
  }
  bool isLast = true;
  for (int d = dimension + 1; d < SLUICE_MAX_RANK; ++d)
    isLast &= isFree(d);
  for (const CoordinateRange &each : here) {
    if (isLast) {
      at[dimension] = each.begin;
      const int64_t begin = shape.position(at);
      out.push_back(
          {begin, begin + (each.end - each.begin) * shape.stride(dimension)});
      continue;
    }
    for (at[dimension] = each.begin; at[dimension] < each.end; ++at[dimension])
      visit(dimension + 1, at, out);
  }
  at[dimension] = 0;
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
  Runs runs;
  forEachBox(to, set, [&](const Box &box) {
    preimageFinder(from, map, box).find(runs);
  });
  return ElementSet::ofAnyRuns(from, std::move(runs));
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
                    const Shape &to, Runs &runs) {
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
      Box element = row;
      for (int64_t x = box.lower[last]; x < box.upper[last]; ++x) {
        element.lower[last] = x;
        element.upper[last] = x + 1;
        imageFinder(element, map, to).find(runs);
      }
    }
}

ElementSet sluice::regions::imageOf(const Shape &from, const ElementSet &set,
                                    ElementMap map, const Shape &to) {
  const bool isProduct = isSeparable(map);
  if (isProduct && set.isBox() && !set.isEmpty())
    if (Box box; imageFinder(set.bounds(), map, to).findBox(box))
      return ElementSet(box);
  Runs runs;
  forEachBox(from, set, [&](const Box &box) {
    if (isProduct)
      imageFinder(box, map, to).find(runs);
    else
      addRows(box, map, from, to, runs);
  });
  return ElementSet::ofAnyRuns(to, std::move(runs));
}
