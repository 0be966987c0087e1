//===- SegmentIndex.cpp - The colors of elements --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sweep over the begins and ends of all runs.
//
//===----------------------------------------------------------------------===//

#include "SegmentIndex.h"

using namespace sluice::regions;

namespace {
struct SegmentEvent {
  int64_t position;
  uint32_t color;
  bool isBegin;
};
} // namespace

static std::vector<SegmentEvent> sortedEvents(const Shape &shape,
                                              const ColorSets &sets) {
  std::vector<SegmentEvent> events;
  for (uint32_t color = 0; color < sets.size(); ++color)
    sets[color].forEachRun(shape, [&](int64_t begin, int64_t end) {
      events.push_back({begin, color, true});
      events.push_back({end, color, false});
    });
  auto byPosition = [](const SegmentEvent &a, const SegmentEvent &b) {
    return a.position < b.position;
  };
  if (!std::is_sorted(events.begin(), events.end(), byPosition))
    std::sort(events.begin(), events.end(), byPosition);
  return events;
}

SegmentIndex::SegmentIndex(const Shape &shape, const ColorSets &sets) {
  std::vector<SegmentEvent> events = sortedEvents(shape, sets);
  // The colors at the sweep's position, and the index of each among them.
  std::vector<uint32_t> active, place(sets.size());
  auto apply = [&](const SegmentEvent &event) {
    if (event.isBegin) {
      place[event.color] = static_cast<uint32_t>(active.size());
      active.push_back(event.color);
      return;
    }
    uint32_t hole = place[event.color];
    active[hole] = active.back();
    place[active[hole]] = hole;
    active.pop_back();
  };
  for (size_t i = 0; i < events.size();) {
    int64_t position = events[i].position;
    // Ends come first: runs of one color are disjoint, but may be adjacent.
    size_t stop = i;
    while (stop < events.size() && events[stop].position == position)
      ++stop;
    for (size_t k = i; k < stop; ++k)
      if (!events[k].isBegin)
        apply(events[k]);
    for (size_t k = i; k < stop; ++k)
      if (events[k].isBegin)
        apply(events[k]);
    i = stop;
    if (active.empty())
      continue;
    auto first = static_cast<uint32_t>(colors.size());
    colors.insert(colors.end(), active.begin(), active.end());
    std::sort(colors.begin() + first, colors.end());
    allSegments.push_back({position, events[i].position, first,
                           static_cast<uint32_t>(active.size())});
  }
}
