//===- ColorIndex.cpp - The location of a partition's colors --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Uses a tree of boxes if the sets nearly fill their boxes, otherwise segments.
//
//===----------------------------------------------------------------------===//

#include "ColorIndex.h"

#include "Overlaps.h"

#include <set>

using namespace sluice::regions;

RootPartition::RootPartition() = default;
RootPartition::~RootPartition() = default;

/// Any order in which sets with the same elements are equal.
static bool comesBefore(const ElementSet &a, const ElementSet &b) {
  auto isLess = [](const SluiceRun &one, const SluiceRun &other) {
    return std::pair(one.begin, one.end) < std::pair(other.begin, other.end);
  };
  for (auto [one, other] : {std::pair(a.bounds().lower, b.bounds().lower),
                            std::pair(a.bounds().upper, b.bounds().upper)})
    for (int d = 0; d < SLUICE_MAX_RANK; ++d)
      if (one[d] != other[d])
        return one[d] < other[d];
  const Runs &left = a.storedRuns(), &right = b.storedRuns();
  return std::lexicographical_compare(left.begin(), left.end(), right.begin(),
                                      right.end(), isLess);
}

uint32_t RootPartition::firstAlike(uint32_t color) const {
  // Blocks and halos that are computed on demand differ.
  if (isDisjoint || sets.demanded())
    return color;
  if (alike.empty()) {
    alike.resize(numColors());
    auto before = [&](uint32_t a, uint32_t b) {
      return comesBefore(sets[a], sets[b]);
    };
    std::set<uint32_t, decltype(before)> first(before);
    for (uint32_t each = 0; each < numColors(); ++each)
      alike[each] = *first.insert(each).first;
  }
  return alike[color];
}

const ColorIndex &RootPartition::index() const {
  if (!theIndex)
    theIndex = std::make_unique<const ColorIndex>(*this);
  return *theIndex;
}

ColorIndex::ColorIndex(const RootPartition &partition)
    : partition(partition), index(make(partition)) {}

ColorIndex::Index ColorIndex::make(const RootPartition &partition) {
  if (fillsBoxes(partition))
    return BoxTree(partition.sets);
  return SegmentIndex(partition.root->shape, partition.sets);
}

void ColorIndex::visit(
    const ElementSet &set,
    const std::function<void(uint32_t color)> &function) const {
  const Shape &shape = partition.root->shape;
  if (const auto *boxes = std::get_if<BoxTree>(&index))
    return boxes->query(set.bounds(), [&](uint32_t color) {
      if (countCommon(shape, set, partition.sets[color]))
        function(color);
    });
  const auto &segments = std::get<SegmentIndex>(index);
  size_t at = 0;
  set.forEachRun(shape, [&](int64_t begin, int64_t end) {
    at = segments.find(begin, at);
    for (size_t i = at;
         i < segments.segments().size() && segments.segments()[i].begin < end;
         ++i)
      for (uint32_t color : segments.colorsOf(segments.segments()[i]))
        function(color);
  });
}
