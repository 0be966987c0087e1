//===- Waits.cpp - Reasons for time without work --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A wait before a chunk has up to four parts: before its launch; while the
// launch waits for memory; until the last predecessor node has ended; and until
// a worker takes the chunk.
//
//===----------------------------------------------------------------------===//

#include "Waits.h"

using namespace sluice::driver;

/// Time during launches in flight is a shortage of work, or `inFlight`;
/// otherwise there was nothing to do.
static void explainIdle(const Causes &causes, uint32_t rank, int64_t start,
                        int64_t end, WaitKind inFlight, WaitUse use) {
  if (start >= end)
    return;
  const Causes::Rank *known = causes.rank(rank);
  if (!known)
    return use(start, end, WaitKind::Nothing, Causes::none);
  known->launches.split(
      start, end, [&](int64_t from, int64_t to, bool isCovered) {
        use(from, to, isCovered ? inFlight : WaitKind::Nothing, Causes::none);
      });
}

/// Explains time in which drivers compiled, bytes were being transferred, or
/// other ranks had not sent yet; the rest is of the kind `other`. `sender` is
/// the node that the late sender had to run first.
static void explainArrivals(const Causes &causes, uint32_t rank, int64_t start,
                            int64_t end, WaitKind other, uint32_t waitedFor,
                            uint32_t sender, WaitUse use) {
  if (start >= end)
    return;
  const Causes::Rank *known = causes.rank(rank);
  if (!known)
    return use(start, end, other, waitedFor);
  known->compiles.split(
      start, end, [&](int64_t from, int64_t to, bool compiles) {
        if (compiles)
          return use(from, to, WaitKind::Compile, Causes::none);
        known->arrivals.split(
            from, to, [&](int64_t from, int64_t to, bool moves) {
              if (moves)
                return use(from, to, WaitKind::Transfer, Causes::none);
              known->unsent.split(
                  from, to, [&](int64_t from, int64_t to, bool isUnsent) {
                    use(from, to, isUnsent ? WaitKind::Dependence : other,
                        isUnsent ? sender : waitedFor);
                  });
            });
      });
}

void sluice::driver::explainWait(const Timeline &timeline, const Causes &causes,
                                 int64_t start, int64_t end, uint32_t next,
                                 WaitUse use) {
  const Timeline::Span &span = timeline.spans[next];
  const uint32_t rank = timeline.rows[span.row].rank;
  if (span.launch == Timeline::none)
    return explainIdle(causes, rank, start, end, WaitKind::Start, use);
  const Timeline::Launch &launch = timeline.launches[span.launch];
  auto until = [&](int64_t time) {
    return std::max(start, std::min(time, end));
  };
  int64_t at = start;
  // Each part begins where the previous one ends.
  explainIdle(causes, rank, at, until(launch.asked), WaitKind::Shortage, use);
  at = until(launch.asked);
  if (at < until(launch.start))
    use(at, until(launch.start), WaitKind::Memory, Causes::none);
  at = std::max(at, until(launch.start));
  // The node that another rank had to run first.
  uint32_t sender = Causes::none;
  if (const uint32_t arrival = causes.arrival(next); arrival != Causes::none)
    if (const uint32_t before = causes.beforeOrigin(arrival);
        before != Causes::none && timeline.spans[before].isWork())
      sender = timeline.spans[before].name;
  const uint32_t last = causes.dependence(next);
  if (last != Causes::none) {
    const Timeline::Span &before = timeline.spans[last];
    const int64_t begun = std::max(at, until(before.start));
    const int64_t ready = std::max(at, until(before.end));
    explainArrivals(causes, rank, at, begun, WaitKind::Dependence, before.name,
                    sender, use);
    if (begun < ready)
      use(begun, ready, WaitKind::Dependence, before.name);
    at = ready;
  }
  explainArrivals(causes, rank, at, end, WaitKind::Start, Causes::none, sender,
                  use);
}

void sluice::driver::explainRest(const Causes &causes, uint32_t rank,
                                 int64_t start, int64_t end, WaitUse use) {
  explainIdle(causes, rank, start, end, WaitKind::Shortage, use);
}
