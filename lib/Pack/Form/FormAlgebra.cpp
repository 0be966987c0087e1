//===- FormAlgebra.cpp - Repeating, placing and chaining forms ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The algebra of forms. Each operation examines only the given form and its
// offsets, so nested layouts are simplified from the inside out. Forms with few
// runs are simplified as lists of runs if neighbours may be joined, so that
// equal layouts result in equal forms, however they were built.
//
//===----------------------------------------------------------------------===//

#include "FormBuilding.h"
#include "sluice/Pack/Datatype.h"

#include <algorithm>

using namespace sluice::pack;

/// Whether a second `form` at `distance` would begin at the end of the first.
static bool continuesAt(const Form &form, int64_t distance) {
  return form.tail == distance && !form.hasCustom;
}

/// Repeats the strided form `count` times: adds an outer loop, or more
/// iterations of the outermost one if the loops continue each other.
static FormRef repeatStrided(const Form &form, int64_t count, int64_t stride) {
  std::vector<Dimension> dimensions;
  dimensions.reserve(form.dimensions.size() + 1);
  Dimension outer = form.dimensions.front();
  int64_t span;
  if (!__builtin_mul_overflow(outer.count, outer.stride, &span) &&
      span == stride)
    dimensions.push_back({checkedMultiply(outer.count, count), outer.stride});
  else
    dimensions = {{count, stride}, outer};
  dimensions.insert(dimensions.end(), form.dimensions.begin() + 1,
                    form.dimensions.end());
  return makeStrided(std::move(dimensions), form.children.front());
}

PlacedForm sluice::pack::repeat(const PlacedForm &placed, int64_t count,
                                int64_t stride) {
  if (count < 0)
    throw farc::Error(farc::Error::ARGUMENT, "a layout cannot be repeated " +
                                                 std::to_string(count) +
                                                 " times");
  const Form &form = *placed.form;
  if (count == 0 || form.kind == FormKind::Empty)
    return {0, emptyForm()};
  if (count == 1)
    return placed;
  if (continuesAt(form, stride)) {
    if (form.kind == FormKind::Block)
      return {placed.offset, blockForm(checkedMultiply(form.size, count))};
    if (saturatingMultiply(form.runs, count) <= expansionLimit) {
      std::vector<ByteRun> runs;
      for (int64_t i = 0; i != count; ++i)
        appendRuns(runs, form,
                   checkedAdd(placed.offset, checkedMultiply(i, stride)));
      return simplifyRuns(std::move(runs));
    }
  }
  if (form.kind == FormKind::Strided)
    return {placed.offset, repeatStrided(form, count, stride)};
  return {placed.offset, makeStrided({{count, stride}}, placed.form)};
}

static bool areEquidistant(std::span<const int64_t> offsets) {
  int64_t distance = wrappedDistance(offsets[0], offsets[1]);
  for (size_t i = 2; i < offsets.size(); ++i)
    if (wrappedDistance(offsets[i - 1], offsets[i]) != distance)
      return false;
  return true;
}

static bool haveNeighbours(const Form &form, std::span<const int64_t> offsets) {
  for (size_t i = 1; i != offsets.size(); ++i)
    if (continuesAt(form, wrappedDistance(offsets[i - 1], offsets[i])))
      return true;
  return false;
}

PlacedForm sluice::pack::placeAt(const PlacedForm &placed,
                                 std::span<const int64_t> offsets) {
  const Form &form = *placed.form;
  if (offsets.empty() || form.kind == FormKind::Empty)
    return {0, emptyForm()};
  int64_t first = checkedAdd(placed.offset, offsets.front());
  if (offsets.size() == 1)
    return {first, placed.form};
  if (areEquidistant(offsets))
    return repeat({first, placed.form}, int64_t(offsets.size()),
                  checkedSubtract(offsets[1], offsets[0]));

  int64_t count = int64_t(offsets.size());
  int64_t runCount = saturatingMultiply(form.runs, count);
  bool isBlock = form.kind == FormKind::Block;
  if (isBlock ? haveNeighbours(form, offsets)
              : runCount <= expansionLimit && !form.hasCustom) {
    std::vector<ByteRun> runs;
    runs.reserve(size_t(runCount));
    for (int64_t offset : offsets)
      appendRuns(runs, form, checkedAdd(placed.offset, offset));
    return simplifyRuns(std::move(runs));
  }

  std::vector<int64_t> places;
  if (form.kind == FormKind::Indexed &&
      saturatingMultiply(int64_t(form.offsets.size()), count) <=
          flatteningLimit) {
    for (int64_t offset : offsets)
      for (int64_t inner : form.offsets)
        places.push_back(checkedAdd(checkedAdd(placed.offset, offset), inner));
    return simplifyPlaces(form.children.front(), std::move(places));
  }
  for (int64_t offset : offsets)
    places.push_back(checkedAdd(placed.offset, offset));
  return simplifyPlaces(placed.form, std::move(places));
}
