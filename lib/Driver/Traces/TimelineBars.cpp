//===- TimelineBars.cpp - Limiting the bars of a page ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TimelineBars.h"
#include "llvm/ADT/DenseMap.h"

#include <algorithm>

using namespace llvm;
using namespace sluice::driver;

namespace {
/// Bars that become one.
class BarGroup {
public:
  explicit BarGroup(const TimelineBar &first) : bar(first) {
    bar.busy = busyOf(first);
    times[first.what] = bar.busy;
  }
  int64_t start() const { return bar.start; }
  int64_t end() const { return bar.end; }

  void add(const TimelineBar &next) {
    // Overlapping time counts once.
    const int64_t busy = std::min(
        busyOf(next),
        std::max<int64_t>(0, next.end - std::max(bar.end, next.start)));
    bar.busy += busy;
    bar.end = std::max(bar.end, next.end);
    bar.count += next.count;
    bar.of = Timeline::none;
    int64_t &time = times[next.what];
    time += busyOf(next);
    if (time > times[bar.what])
      bar.what = next.what;
  }
  TimelineBar finish() const { return bar; }

private:
  static int64_t busyOf(const TimelineBar &bar) {
    return bar.count > 1 ? bar.busy : bar.end - bar.start;
  }
  TimelineBar bar;
  SmallDenseMap<uint32_t, int64_t> times;
};
} // namespace

std::vector<TimelineBar> sluice::driver::mergeBars(ArrayRef<TimelineBar> bars,
                                                   int64_t resolution) {
  std::vector<TimelineBar> merged;
  for (size_t i = 0; i != bars.size();) {
    BarGroup group(bars[i]);
    for (++i; i != bars.size() &&
              std::max(group.end(), bars[i].end) - group.start() <= resolution;
         ++i)
      group.add(bars[i]);
    merged.push_back(group.finish());
  }
  return merged;
}

static size_t countBars(const std::vector<std::vector<TimelineBar>> &rows) {
  size_t count = 0;
  for (const auto &row : rows)
    count += row.size();
  return count;
}

int64_t sluice::driver::mergeRows(std::vector<std::vector<TimelineBar>> &rows,
                                  size_t most) {
  if (countBars(rows) <= most)
    return 0;
  int64_t longest = 1;
  for (const auto &row : rows)
    for (const TimelineBar &bar : row)
      longest = std::max(longest, bar.end - row.front().start);
  // Two adjacent bars together are longer than the resolution, and their total
  // is at most the length of the row. This gives the initial resolution.
  for (int64_t resolution = std::max<int64_t>(1, longest / int64_t(most));;
       resolution *= 2) {
    std::vector<std::vector<TimelineBar>> merged;
    for (const auto &row : rows)
      merged.push_back(mergeBars(row, resolution));
    if (countBars(merged) > most && resolution < longest)
      continue;
    rows = std::move(merged);
    return resolution;
  }
}
