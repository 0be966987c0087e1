//===- TimelineBars.h - As many bars as a page can show ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A trace may have millions of parts. Those that are short, and next to each
// other, become one bar, until there are no more than a page can have.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_TRACES_TIMELINEBARS_H
#define SLUICE_LIB_DRIVER_TRACES_TIMELINEBARS_H

#include "sluice/Driver/Timeline.h"
#include "llvm/ADT/ArrayRef.h"

namespace sluice::driver {

struct TimelineBar {
  int64_t start, end;
  uint32_t what;      ///< a name or a kind; of several, that with most time
  uint64_t count = 1; ///< how many it stands for
  int64_t busy = 0;   ///< of its time; 0: all of it
  /// A launch or a name; none if it stands for several.
  uint32_t of = Timeline::none;
};

/// The bars of one row, which are in the order of their starts, with those that
/// together are no longer than `resolution` as one.
std::vector<TimelineBar> mergeBars(llvm::ArrayRef<TimelineBar> bars,
                                   int64_t resolution);

/// Merges the bars of all rows until there are `most`, or one for each row.
/// Returns the resolution that was needed; 0: nothing was merged.
int64_t mergeRows(std::vector<std::vector<TimelineBar>> &rows, size_t most);

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_TRACES_TIMELINEBARS_H
