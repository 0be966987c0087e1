//===- Causes.cpp - Causes that let a part of a run begin -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Causes.h"

#include "sluice/Base/StableSort.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace sluice::driver;
using Kind = Timeline::Kind;

Causes::Causes(const Timeline &timeline) : timeline(timeline) {
  for (const Timeline::Edge &edge : timeline.edges)
    predecessors[{edge.rank, edge.to}].push_back(edge.from);
  for (const Timeline::Launch &launch : timeline.launches)
    ranks[launch.rank].launches.add(launch.asked, launch.end);
  for (const Timeline::Message &message : timeline.messages) {
    const Timeline::Span &sent = timeline.spans[message.sent];
    const Timeline::Span &received = timeline.spans[message.received];
    // Clocks may differ by more than the time of a message.
    if (received.start < sent.start && sent.start < received.end)
      senders[message.received] = message.sent;
  }
  std::vector<uint32_t> order;
  for (uint32_t i = 0; i != timeline.spans.size(); ++i)
    if (timeline.spans[i].start < timeline.spans[i].end)
      order.push_back(i);
  stableSort(order, [&](uint32_t a, uint32_t b) {
    return timeline.spans[a].end < timeline.spans[b].end;
  });
  for (uint32_t span : order)
    add(span);
  for (auto &[number, rank] : ranks) {
    rank.launches.finish();
    rank.compiles.finish();
    rank.arrivals.finish();
    rank.unsent.finish();
  }
}

void Causes::add(uint32_t number) {
  const Timeline::Span &span = timeline.spans[number];
  const uint32_t rank = timeline.rows[span.row].rank;
  ofRow[span.row].push_back(number);
  ofRank[rank].push_back(number);
  if (!span.isWork()) {
    arrivalsOf[rank].push_back(number);
    const int64_t start = startOf(number);
    IntervalUnion &coverage = span.kind == Kind::Compile ? ranks[rank].compiles
                                                         : ranks[rank].arrivals;
    ranks[rank].unsent.add(span.start, start);
    return coverage.add(start, span.end);
  }
  if (span.launch == none)
    return;
  ofNode[{span.launch, span.name}].push_back(number);
  if (span.kind == Kind::Task)
    ofLaunch[span.launch].push_back(number);
}

uint32_t Causes::lastIn(const List *list, int64_t time) const {
  if (!list)
    return none;
  auto next = upper_bound(*list, time, [&](int64_t time, uint32_t span) {
    return time < timeline.spans[span].end;
  });
  return next == list->begin() ? none : *std::prev(next);
}

uint32_t Causes::later(uint32_t a, uint32_t b) const {
  if (a == none || b == none)
    return a == none ? b : a;
  return timeline.spans[b].end > timeline.spans[a].end ? b : a;
}

uint32_t Causes::dependence(uint32_t number) const {
  const Timeline::Span &span = timeline.spans[number];
  if (span.launch == none)
    return none;
  if (span.kind == Kind::Task)
    return lastIn(find(ofLaunch, span.launch), span.start);
  auto names = predecessors.find({timeline.rows[span.row].rank, span.name});
  uint32_t last = none;
  if (names != predecessors.end())
    for (uint32_t name : names->second)
      last = later(
          last, lastIn(find(ofNode, std::pair(span.launch, name)), span.start));
  return last;
}

uint32_t Causes::arrival(uint32_t number) const {
  const Timeline::Span &span = timeline.spans[number];
  return lastIn(find(arrivalsOf, timeline.rows[span.row].rank), span.start);
}

uint32_t Causes::before(uint32_t number) const {
  const Timeline::Span &span = timeline.spans[number];
  return lastIn(find(ofRow, span.row), span.start);
}

uint32_t Causes::lastOf(uint32_t rank, int64_t time) const {
  return lastIn(find(ofRank, rank), time);
}

uint32_t Causes::origin(uint32_t number) const {
  auto sender = senders.find(number);
  return sender == senders.end() ? number : sender->second;
}

int64_t Causes::startOf(uint32_t number) const {
  return timeline.spans[origin(number)].start;
}

uint32_t Causes::beforeOrigin(uint32_t number) const {
  const Timeline::Span &span = timeline.spans[origin(number)];
  return lastOf(timeline.rows[span.row].rank, span.start);
}

const Causes::Rank *Causes::rank(uint32_t number) const {
  auto found = ranks.find(number);
  return found == ranks.end() ? nullptr : &found->second;
}
