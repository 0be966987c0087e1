//===- ElementSet.cpp - Elements of a root, as boxes or runs --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Merging, and fast paths for boxes.
//
//===----------------------------------------------------------------------===//

#include "ElementSet.h"

#include "sluice/Base/Text.h"

using namespace sluice;
using namespace sluice::regions;

std::string Shape::text() const {
  std::string out = "[";
  for (int d = 0; d < rank; ++d)
    out += concat(d ? ", " : "", extent[d]);
  return out + "]";
}

std::string Shape::elementText(int64_t position) const {
  int64_t at[SLUICE_MAX_RANK];
  coordinates(position, at);
  if (rank == 1)
    return concat(at[0]);
  std::string out = "(";
  for (int d = 0; d < rank; ++d)
    out += concat(d ? ", " : "", at[d]);
  return out + ")";
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

void sluice::regions::normalize(Runs &runs) {
  std::erase_if(runs,
                [](const SluiceRun &run) { return run.begin >= run.end; });
  auto byBegin = [](const SluiceRun &a, const SluiceRun &b) {
    return a.begin < b.begin;
  };
  if (!std::is_sorted(runs.begin(), runs.end(), byBegin))
    std::sort(runs.begin(), runs.end(), byBegin);
  size_t size = 0;
  for (const SluiceRun &run : runs) {
    if (size && run.begin <= runs[size - 1].end)
      runs[size - 1].end = std::max(runs[size - 1].end, run.end);
    else
      runs[size++] = run;
  }
  runs.resize(size);
}

Runs sluice::regions::uniteRuns(const Runs &left, const Runs &right) {
  Runs all;
  all.reserve(left.size() + right.size());
  std::merge(
      left.begin(), left.end(), right.begin(), right.end(),
      std::back_inserter(all),
      [](const SluiceRun &a, const SluiceRun &b) { return a.begin < b.begin; });
  normalize(all);
  return all;
}

Runs sluice::regions::intersectRuns(const Runs &left, const Runs &right) {
  Runs common;
  for (auto a = left.begin(), b = right.begin();
       a != left.end() && b != right.end();) {
    int64_t begin = std::max(a->begin, b->begin);
    int64_t end = std::min(a->end, b->end);
    if (begin < end)
      common.push_back({begin, end});
    if (a->end < b->end)
      ++a;
    else
      ++b;
  }
  return common;
}

Runs sluice::regions::subtractRuns(const Runs &left, const Runs &right) {
  Runs rest;
  auto hole = right.begin();
  for (SluiceRun run : left) {
    while (hole != right.end() && hole->end <= run.begin)
      ++hole;
    for (auto next = hole; next != right.end() && next->begin < run.end;
         ++next) {
      if (run.begin < next->begin)
        rest.push_back({run.begin, next->begin});
      run.begin = next->end;
    }
    if (run.begin < run.end)
      rest.push_back(run);
  }
  return rest;
}

//===----------------------------------------------------------------------===//
// Sets
//===----------------------------------------------------------------------===//

void ElementSet::clear() {
  std::fill_n(box.lower, SLUICE_MAX_RANK, 0);
  std::fill_n(box.upper, SLUICE_MAX_RANK, 0);
  count = 0;
}

/// The bounding box of one run.
static Box boundsOf(const Shape &shape, const SluiceRun &run) {
  Box box;
  int64_t last[SLUICE_MAX_RANK];
  shape.coordinates(run.begin, box.lower);
  shape.coordinates(run.end - 1, last);
  bool isWide = false; // an outer coordinate changes within the run
  for (int d = 0; d < SLUICE_MAX_RANK; ++d) {
    if (isWide) {
      box.lower[d] = 0;
      last[d] = shape.extent[d] - 1;
    }
    isWide |= box.lower[d] != last[d];
    box.upper[d] = last[d] + 1;
  }
  return box;
}

ElementSet::ElementSet(const Shape &shape, Runs sorted) {
  clear();
  if (sorted.empty())
    return;
  box = boundsOf(shape, sorted.front());
  for (const SluiceRun &run : sorted) {
    count += run.end - run.begin;
    box.include(boundsOf(shape, run));
  }
  if (count != box.count()) {
    runs = std::move(sorted);
    runs.shrink_to_fit();
  }
}

ElementSet ElementSet::ofAnyRuns(const Shape &shape, Runs any) {
  normalize(any);
  return ElementSet(shape, std::move(any));
}

Runs ElementSet::toRuns(const Shape &shape) const {
  if (!isBox())
    return runs;
  Runs out;
  forEachRun(shape, [&](int64_t begin, int64_t end) {
    out.push_back({begin, end});
  });
  return out;
}

int64_t ElementSet::end(const Shape &shape) const {
  if (!isBox())
    return runs.back().end;
  int64_t last[SLUICE_MAX_RANK];
  for (int d = 0; d < SLUICE_MAX_RANK; ++d)
    last[d] = box.upper[d] - 1;
  return shape.position(last) + 1;
}

int64_t sluice::regions::countCommon(const Shape &shape, const ElementSet &left,
                                     const ElementSet &right) {
  if (left.isEmpty() || right.isEmpty() ||
      !left.bounds().overlaps(right.bounds()))
    return 0;
  if (left.isBox() && right.isBox())
    return left.bounds().intersect(right.bounds()).count();
  const ElementSet &runs = left.isBox() ? right : left;
  const ElementSet &other = left.isBox() ? left : right;
  // The runs of a box without stored runs are generated as needed.
  int64_t count = 0;
  auto next = runs.storedRuns().begin(), last = runs.storedRuns().end();
  other.forEachRun(shape, [&](int64_t begin, int64_t end) {
    if (next != last && next->end <= begin)
      next = std::partition_point(
          next, last, [&](const SluiceRun &run) { return run.end <= begin; });
    for (auto at = next; at != last && at->begin < end; ++at)
      count += std::min(at->end, end) - std::max(at->begin, begin);
  });
  return count;
}

ElementSet sluice::regions::unite(const Shape &shape, const ElementSet &left,
                                  const ElementSet &right) {
  if (left.isEmpty())
    return right;
  if (right.isEmpty())
    return left;
  return ElementSet(shape, uniteRuns(left.toRuns(shape), right.toRuns(shape)));
}

ElementSet sluice::regions::intersect(const Shape &shape,
                                      const ElementSet &left,
                                      const ElementSet &right) {
  if (left.isEmpty() || right.isEmpty())
    return {};
  if (left.isBox() && right.isBox())
    return ElementSet(left.bounds().intersect(right.bounds()));
  return ElementSet(shape,
                    intersectRuns(left.toRuns(shape), right.toRuns(shape)));
}

ElementSet sluice::regions::subtract(const Shape &shape, const ElementSet &left,
                                     const ElementSet &right) {
  if (left.isEmpty() || right.isEmpty() ||
      !left.bounds().overlaps(right.bounds()))
    return left;
  return ElementSet(shape,
                    subtractRuns(left.toRuns(shape), right.toRuns(shape)));
}

//===----------------------------------------------------------------------===//
// Halos
//===----------------------------------------------------------------------===//

static Box widenBox(const Shape &shape, Box box, int dimension, int64_t width) {
  int64_t &lower = box.lower[dimension], &upper = box.upper[dimension];
  lower = width > lower ? 0 : lower - width;
  int64_t room = shape.extent[dimension] - upper;
  upper += std::min(room, width);
  return box;
}

std::vector<Box> sluice::regions::widenPeriodic(const Shape &shape,
                                                const Box &box, int dimension,
                                                int64_t width) {
  const int64_t extent = shape.extent[dimension];
  const int64_t lower = box.lower[dimension], upper = box.upper[dimension];
  auto part = [&](int64_t begin, int64_t end) {
    Box made = box;
    made.lower[dimension] = begin;
    made.upper[dimension] = end;
    return made;
  };
  const int64_t room = extent - (upper - lower);
  if (width >= room - width) // without an overflow of the sum
    return {part(0, extent)};
  if (lower < width)
    return {part(0, upper + width), part(extent - (width - lower), extent)};
  if (width > extent - upper)
    return {part(0, width - (extent - upper)), part(lower - width, extent)};
  return {part(lower - width, upper + width)};
}

/// Adds the elements up to `width` away along one dimension.
static ElementSet widenAlong(const Shape &shape, const ElementSet &set,
                             int dimension, int64_t width, bool isPeriodic) {
  if (set.isEmpty() || width == 0)
    return set;
  if (set.isBox() && !isPeriodic)
    return ElementSet(widenBox(shape, set.bounds(), dimension, width));
  Runs wide;
  const int64_t columns = shape.extent[2], rows = shape.extent[1];
  auto addBox = [&](const Box &box) {
    forEachRun(shape, box, [&](int64_t from, int64_t to) {
      wide.push_back({from, to});
    });
  };
  auto addWide = [&](const Box &box) {
    if (!isPeriodic)
      return addBox(widenBox(shape, box, dimension, width));
    for (const Box &part : widenPeriodic(shape, box, dimension, width))
      addBox(part);
  };
  if (set.isBox()) {
    const auto parts = widenPeriodic(shape, set.bounds(), dimension, width);
    if (parts.size() == 1)
      return ElementSet(parts.front());
    addWide(set.bounds());
    return ElementSet::ofAnyRuns(shape, std::move(wide));
  }
  // Pieces of runs within one line along the last used dimensions; each piece
  // is a box.
  auto addPiece = [&](int64_t begin, int64_t end) {
    addWide(boundsOf(shape, {begin, end}));
  };
  const int64_t line = shape.rank == 3   ? columns
                       : shape.rank == 2 ? rows
                                         : shape.count();
  set.forEachRun(shape, [&](int64_t begin, int64_t end) {
    while (begin < end) {
      int64_t stop = std::min(end, (begin / line + 1) * line);
      addPiece(begin, stop);
      begin = stop;
    }
  });
  return ElementSet::ofAnyRuns(shape, std::move(wide));
}

ElementSet sluice::regions::widen(const Shape &shape, const ElementSet &set,
                                  const int64_t *width, bool corners,
                                  uint32_t periodic) {
  ElementSet wide = set;
  for (int d = 0; d < shape.rank; ++d) {
    const bool isPeriodic = periodic >> d & 1;
    if (corners)
      wide = widenAlong(shape, wide, d, width[d], isPeriodic);
    else
      wide =
          unite(shape, wide, widenAlong(shape, set, d, width[d], isPeriodic));
  }
  return wide;
}
