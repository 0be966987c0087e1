//===- TimelineBars.h - Limiting the bars of a page -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A trace may have millions of parts. Short adjacent parts are merged into one
// bar until there are no more bars than a page can have.
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

/// The bars of one row in the order of their starts. Adjacent bars that
/// together are no longer than `resolution` are merged.
std::vector<TimelineBar> mergeBars(llvm::ArrayRef<TimelineBar> bars,
                                   int64_t resolution);

/// Merges the bars of all rows until at most `most` remain, or one for each
/// row. Returns the resolution that this needed; 0 if nothing was merged.
int64_t mergeRows(std::vector<std::vector<TimelineBar>> &rows, size_t most);

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_TRACES_TIMELINEBARS_H
