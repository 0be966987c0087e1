//===- Overlaps.cpp - Colors that share elements --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Uses a tree of boxes if the sets nearly fill their boxes, otherwise a sweep.
//
//===----------------------------------------------------------------------===//

#include "Overlaps.h"

#include "BoxTree.h"
#include "SegmentIndex.h"

using namespace sluice::regions;

bool sluice::regions::fillsBoxes(const RootPartition &partition) {
  int64_t volume = 0, count = 0;
  for (const ElementSet &set : partition.sets) {
    if (set.isBox())
      continue;
    if (partition.root->shape.rank == 1)
      return false;
    volume += set.bounds().count() / 4;
    count += set.size();
  }
  return volume <= count;
}

Overlaps::Overlaps(const RootPartition &from, const RootPartition &to)
    : from(from) {
  first.reserve(from.numColors() + 1);
  if (fillsBoxes(from) && fillsBoxes(to))
    intersectBoxes(to);
  else
    sweepRuns(to);
  first.push_back(overlaps.size());
}

void Overlaps::intersectBoxes(const RootPartition &to) {
  const BoxTree tree(to.sets);
  const Shape &shape = from.root->shape;
  for (uint32_t own = 0; own < from.numColors(); ++own) {
    first.push_back(overlaps.size());
    if (from.firstAlike(own) != own)
      continue;
    const ElementSet &set = from.sets[own];
    tree.query(set.bounds(), [&](uint32_t color) {
      if (to.firstAlike(color) != color)
        return;
      if (int64_t count = countCommon(shape, set, to.sets[color]))
        overlaps.push_back({color, count});
    });
  }
}

void Overlaps::sweepRuns(const RootPartition &to) {
  const Shape &shape = from.root->shape;
  const SegmentIndex index(shape, to.sets);
  const auto segments = index.segments();
  std::vector<int64_t> counts(to.numColors(), 0);
  std::vector<uint32_t> touched;
  for (uint32_t own = 0; own < from.numColors(); ++own) {
    first.push_back(overlaps.size());
    if (from.firstAlike(own) != own)
      continue;
    const ElementSet &set = from.sets[own];
    size_t at = set.isEmpty() ? 0 : index.find(set.first(shape));
    set.forEachRun(shape, [&](int64_t begin, int64_t end) {
      if (at < segments.size() && segments[at].end <= begin)
        at = index.find(begin, at);
      for (size_t i = at; i < segments.size() && segments[i].begin < end; ++i)
        for (uint32_t color : index.colorsOf(segments[i])) {
          if (!counts[color])
            touched.push_back(color);
          counts[color] += std::min(end, segments[i].end) -
                           std::max(begin, segments[i].begin);
        }
    });
    std::sort(touched.begin(), touched.end());
    for (uint32_t color : touched) {
      if (to.firstAlike(color) == color)
        overlaps.push_back({color, counts[color]});
      counts[color] = 0;
    }
    touched.clear();
  }
}

const Overlaps &OverlapTable::get(const RootPartition &from,
                                  const RootPartition &to) {
  std::unique_ptr<Overlaps> &entry = table[{&from, &to}];
  if (!entry)
    entry = std::make_unique<Overlaps>(from, to);
  return *entry;
}

void OverlapTable::forget(const RootPartition &partition) {
  std::erase_if(table, [&](const auto &entry) {
    return entry.first.first == &partition || entry.first.second == &partition;
  });
}
