//===- ColorIndex.cpp - The location of a partition's colors --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Uses a tree of boxes if the sets nearly fill their boxes, otherwise segments.
//
//===----------------------------------------------------------------------===//

#include "ColorIndex.h"

#include "Overlaps.h"

using namespace sluice::regions;

RootPartition::RootPartition() = default;
RootPartition::~RootPartition() = default;

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
