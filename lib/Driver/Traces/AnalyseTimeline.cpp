//===- AnalyseTimeline.cpp - Answers from a trace -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Visits the rows to find their activity and waits, all spans to find the times
// of nodes, and the spans from last to first to find the critical path.
//
//===----------------------------------------------------------------------===//

#include "Waits.h"
#include "sluice/Base/StableSort.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace sluice::driver;

namespace {
class Analysis {
public:
  explicit Analysis(const Timeline &timeline)
      : timeline(timeline), causes(timeline) {}

  TraceReport run() {
    findRows();
    findNodes();
    findPath();
    return std::move(report);
  }

private:
  void findRows();
  void findNodes();
  void findPath();
  /// The last span that had to end before `span` could run; none if there is
  /// none.
  uint32_t causeOf(uint32_t span) const;
  void addStep(uint32_t span, int64_t waitStart);
  const Timeline::Span &spanOf(uint32_t number) const {
    return timeline.spans[number];
  }

  const Timeline &timeline;
  const Causes causes;
  TraceReport report;
};
} // namespace

void Analysis::findRows() {
  std::vector<std::vector<uint32_t>> spans(timeline.rows.size());
  for (uint32_t i = 0; i != timeline.spans.size(); ++i)
    spans[spanOf(i).row].push_back(i);
  using Key = std::tuple<WaitKind, uint32_t, uint32_t>;
  std::map<Key, TraceReport::Cause> known;
  for (uint32_t row = 0; row != timeline.rows.size(); ++row) {
    const bool isExplained =
        timeline.rows[row].isWorker || any_of(spans[row], [&](uint32_t span) {
          return spanOf(span).isWork();
        });
    uint32_t next = Timeline::none;
    auto use = [&](int64_t start, int64_t end, WaitKind kind,
                   uint32_t waitedFor) {
      const uint32_t name =
          next == Timeline::none ? next : timeline.spans[next].name;
      report.waits.push_back({row, start, end, kind, name, waitedFor});
      const auto time = double(end - start);
      report.waitTimes[unsigned(kind)] += time;
      TraceReport::Cause &cause = known[{kind, name, waitedFor}];
      cause = {kind,
               name,
               waitedFor,
               cause.time + time,
               cause.number + 1,
               std::max(cause.longest, end - start)};
    };
    TraceReport::RowUse rowUse = {row, 0, spans[row].size()};
    int64_t end = timeline.begin;
    for (uint32_t span : spans[row]) {
      next = span;
      const Timeline::Span &part = spanOf(span);
      if (isExplained && end < part.start)
        explainWait(timeline, causes, end, part.start, span, use);
      rowUse.busy += std::max<int64_t>(0, part.end - std::max(end, part.start));
      end = std::max(end, part.end);
    }
    next = Timeline::none;
    if (isExplained)
      explainRest(causes, timeline.rows[row].rank, end, timeline.end, use);
    report.rows.push_back(rowUse);
  }
  for (auto &[key, cause] : known)
    report.causes.push_back(cause);
  sluice::stableSort(report.causes,
                     [](auto &a, auto &b) { return a.time > b.time; });
}

void Analysis::findNodes() {
  std::vector<TraceReport::NodeUse> nodes(timeline.names.size());
  DenseSet<std::pair<uint32_t, uint32_t>> launches;
  for (const Timeline::Span &span : timeline.spans) {
    if (!span.isWork())
      continue;
    TraceReport::NodeUse &node = nodes[span.name];
    node.name = span.name;
    node.time += double(span.end - span.start);
    ++node.numSpans;
    node.longest = std::max(node.longest, span.end - span.start);
    if (span.launch != Timeline::none)
      node.numLaunches += launches.insert({span.name, span.launch}).second;
  }
  for (const TraceReport::NodeUse &node : nodes)
    if (node.numSpans)
      report.nodes.push_back(node);
  sluice::stableSort(report.nodes,
                     [](auto &a, auto &b) { return a.time > b.time; });
}

uint32_t Analysis::causeOf(uint32_t number) const {
  const Timeline::Span &span = spanOf(number);
  const uint32_t rank = timeline.rows[span.row].rank;
  if (!span.isWork())
    return causes.beforeOrigin(number);
  uint32_t last = Timeline::none;
  for (uint32_t other : {causes.dependence(number), causes.before(number),
                         causes.arrival(number)})
    if (other != Timeline::none &&
        (last == Timeline::none || spanOf(other).end > spanOf(last).end))
      last = other;
  if (span.launch == Timeline::none)
    return last;
  // The first nodes of a launch wait for the launch. The launch waits for
  // whatever the host program waited for, or for memory.
  const int64_t launched =
      std::min(span.start, timeline.launches[span.launch].start);
  if (last != Timeline::none && spanOf(last).end >= launched)
    return last;
  return causes.lastOf(rank, launched);
}

void Analysis::addStep(uint32_t number, int64_t waitStart) {
  const Timeline::Span &span = spanOf(number);
  const int64_t begun = causes.startOf(number);
  std::array<int64_t, numWaitKinds> times = {};
  if (waitStart < begun)
    explainWait(timeline, causes, waitStart, begun, causes.origin(number),
                [&](int64_t start, int64_t end, WaitKind kind, uint32_t) {
                  times[unsigned(kind)] += end - start;
                });
  for (unsigned kind = 0; kind != numWaitKinds; ++kind)
    report.pathWaits[kind] += double(times[kind]);
  const auto most = WaitKind(max_element(times) - times.begin());
  // Steps are found from last to first.
  if (!report.path.empty()) {
    TraceReport::Step &next = report.path.back();
    const Timeline::Span &other = spanOf(next.span);
    if (other.name == span.name && other.launch == span.launch &&
        other.kind == span.kind) {
      next = {number, begun, next.end, waitStart, most, next.numSpans + 1};
      return;
    }
  }
  report.path.push_back({number, begun, span.end, waitStart, most, 1});
}

void Analysis::findPath() {
  uint32_t last = Timeline::none;
  for (uint32_t i = 0; i != timeline.spans.size(); ++i)
    if (spanOf(i).start < spanOf(i).end &&
        (last == Timeline::none || spanOf(i).end > spanOf(last).end))
      last = i;
  if (last == Timeline::none) {
    report.pathTail = timeline.end - timeline.begin;
    return;
  }
  report.pathTail = timeline.end - spanOf(last).end;
  std::vector<double> onPath(timeline.names.size());
  while (last != Timeline::none) {
    const Timeline::Span &span = spanOf(last);
    (span.isWork() ? onPath[span.name] : report.pathOther) +=
        double(span.end - causes.startOf(last));
    const uint32_t cause = causeOf(last);
    addStep(last, cause == Timeline::none ? timeline.begin : spanOf(cause).end);
    last = cause;
  }
  std::reverse(report.path.begin(), report.path.end());
  for (TraceReport::NodeUse &node : report.nodes)
    node.onPath = onPath[node.name];
}

TraceReport sluice::driver::analyseTimeline(const Timeline &timeline) {
  return Analysis(timeline).run();
}
