//===- TimelinePage.h - A timeline for pages --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The data that the script Explorer/timeline.js draws: rows of bars, with waits
// below and the critical path above.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_TRACES_TIMELINEPAGE_H
#define SLUICE_LIB_DRIVER_TRACES_TIMELINEPAGE_H

#include "TimelineBars.h"
#include "sluice/Driver/TraceReport.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/JSON.h"

namespace sluice::driver {

/// A page has at most this many bars, and half as many waits and steps of the
/// path each; or, if there are more rows, one of each per row.
constexpr size_t mostPageBars = 40'000;

/// A timeline in the form that pages use. Names without bars are left out; the
/// others are renumbered.
class TimelinePage {
public:
  TimelinePage(const Timeline &timeline, const TraceReport &report,
               size_t mostBars = mostPageBars);

  /// Writes one object. Times are nanoseconds from the start of the timeline.
  void write(llvm::json::OStream &json) const;
  /// The page's numbers of those of `names` that the page contains.
  std::vector<uint32_t> numbersOf(llvm::ArrayRef<uint32_t> names) const;

private:
  using Rows = std::vector<std::vector<TimelineBar>>;
  uint32_t numberOf(uint32_t name);
  void writeBars(llvm::json::OStream &json, llvm::StringRef key,
                 llvm::ArrayRef<TimelineBar> bars) const;
  std::string labelOf(const Timeline::Row &row) const;

  const Timeline &timeline;
  const TraceReport &report;
  Rows bars, waits, path;
  int64_t resolution;
  llvm::DenseMap<uint32_t, uint32_t> numbers;
  std::vector<uint32_t> names;
};

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_TRACES_TIMELINEPAGE_H
