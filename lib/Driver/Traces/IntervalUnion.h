//===- IntervalUnion.h - Time that intervals cover --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches and transfers overlap each other. This class tells whether there was
// any at a given time.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_TRACES_INTERVALUNION_H
#define SLUICE_LIB_DRIVER_TRACES_INTERVALUNION_H

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace sluice::driver {

/// The union of intervals. Add all intervals first, then call `finish` once.
class IntervalUnion {
public:
  void add(int64_t start, int64_t end) {
    if (start < end)
      parts.push_back({start, end});
  }
  void finish() {
    std::sort(parts.begin(), parts.end(),
              [](const Part &a, const Part &b) { return a.start < b.start; });
    std::vector<Part> joined;
    for (const Part &part : parts)
      if (!joined.empty() && part.start <= joined.back().end)
        joined.back().end = std::max(joined.back().end, part.end);
      else
        joined.push_back(part);
    parts = std::move(joined);
  }

  /// Splits the time from `start` to `end` into covered and uncovered parts,
  /// and calls use(start, end, isCovered) for each.
  template <typename Use>
  void split(int64_t start, int64_t end, const Use &use) const {
    auto part =
        std::partition_point(parts.begin(), parts.end(), [&](const Part &part) {
          return part.end <= start;
        });
    for (; start < end; ++part) {
      const bool isLast = part == parts.end() || part->start >= end;
      const int64_t next = isLast ? end : std::max(start, part->start);
      if (start < next)
        use(start, next, false);
      if (isLast)
        return;
      start = std::min(end, part->end);
      use(next, start, true);
    }
  }

private:
  struct Part {
    int64_t start, end;
  };
  std::vector<Part> parts;
};

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_TRACES_INTERVALUNION_H
