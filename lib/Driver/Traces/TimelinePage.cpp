//===- TimelinePage.cpp - A timeline for pages ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists of numbers, each list of one kind: compact in the file, and quick to
// read.
//
//===----------------------------------------------------------------------===//

#include "TimelinePage.h"
#include "llvm/ADT/STLExtras.h"

#include <set>

using namespace llvm;
using namespace sluice::driver;

TimelinePage::TimelinePage(const Timeline &timeline, const TraceReport &report,
                           size_t mostBars)
    : timeline(timeline), report(report), bars(timeline.rows.size()),
      waits(bars), path(bars) {
  for (const Timeline::Span &span : timeline.spans)
    bars[span.row].push_back(
        {span.start, span.end, span.name, 1, 0, span.launch});
  for (const TraceReport::Wait &wait : report.waits)
    if (wait.kind != WaitKind::Nothing)
      waits[wait.row].push_back(
          {wait.start, wait.end, unsigned(wait.kind), 1, 0, wait.waitedFor});
  for (const TraceReport::Step &step : report.path)
    path[timeline.spans[step.span].row].push_back(
        {step.start, step.end, 0, 1, 0, Timeline::none});
  resolution = mergeRows(bars, mostBars);
  mergeRows(waits, mostBars / 2);
  mergeRows(path, mostBars / 2);
  for (auto &row : bars)
    for (TimelineBar &bar : row)
      bar.what = numberOf(bar.what);
  for (auto &row : waits)
    for (TimelineBar &bar : row)
      if (bar.of != Timeline::none)
        bar.of = numberOf(bar.of);
}

uint32_t TimelinePage::numberOf(uint32_t name) {
  auto [number, isNew] = numbers.try_emplace(name, names.size());
  if (isNew)
    names.push_back(name);
  return number->second;
}

std::vector<uint32_t> TimelinePage::numbersOf(ArrayRef<uint32_t> wanted) const {
  std::vector<uint32_t> found;
  for (uint32_t name : wanted)
    if (auto number = numbers.find(name); number != numbers.end())
      found.push_back(number->second);
  return found;
}

/// A bar has the same index in all lists: its start relative to the previous
/// bar, its length, its name, and for merged bars, their number and their busy
/// time. `of` counts from 1; 0 means none.
void TimelinePage::writeBars(json::OStream &json, StringRef key,
                             ArrayRef<TimelineBar> row) const {
  auto list = [&](StringRef name, auto value) {
    json.attributeArray(name, [&] {
      for (const TimelineBar &bar : row)
        json.value(int64_t(value(bar)));
    });
  };
  json.attributeObject(key, [&] {
    int64_t at = timeline.begin;
    list("start", [&](const TimelineBar &bar) {
      const int64_t passed = bar.start - at;
      at = bar.start;
      return passed;
    });
    list("time", [](const TimelineBar &bar) { return bar.end - bar.start; });
    list("what", [](const TimelineBar &bar) { return bar.what; });
    list("of", [](const TimelineBar &bar) {
      return bar.of == Timeline::none ? 0 : int64_t(bar.of) + 1;
    });
    if (none_of(row, [](const TimelineBar &bar) { return bar.count > 1; }))
      return;
    list("count", [](const TimelineBar &bar) { return bar.count; });
    list("busy", [](const TimelineBar &bar) {
      return bar.count > 1 ? bar.busy : bar.end - bar.start;
    });
  });
}

/// Includes the process if there are several.
std::string TimelinePage::labelOf(const Timeline::Row &row) const {
  std::set<uint32_t> processes;
  for (const Timeline::Row &other : timeline.rows)
    processes.insert(other.process);
  auto process = find_if(timeline.processes, [&](const Timeline::Process &one) {
    return one.number == row.process;
  });
  if (processes.size() < 2 || process == timeline.processes.end() ||
      process->name.empty())
    return row.name;
  return process->name + ": " + row.name;
}

void TimelinePage::write(json::OStream &json) const {
  json.object([&] {
    json.attribute("length", timeline.end - timeline.begin);
    json.attribute("resolution", resolution);
    json.attribute("launches", int64_t(timeline.launches.size()));
    json.attributeArray("names", [&] {
      for (uint32_t name : names)
        json.value(json::fixUTF8(timeline.names[name]));
    });
    json.attributeArray("waits", [&] {
      for (unsigned kind = 0; kind != numWaitKinds; ++kind)
        json.object([&] {
          json.attribute("name", waitName(WaitKind(kind)));
          json.attribute("meaning", waitMeaning(WaitKind(kind)));
          json.attribute("colour", waitColour(WaitKind(kind)));
          json.attribute("time", report.waitTimes[kind]);
        });
    });
    json.attributeArray("rows", [&] {
      for (const TraceReport::RowUse &use : report.rows) {
        const Timeline::Row &row = timeline.rows[use.row];
        json.object([&] {
          json.attribute("name", json::fixUTF8(labelOf(row)));
          json.attribute("busy", use.busy);
          writeBars(json, "bars", bars[use.row]);
          writeBars(json, "waits", waits[use.row]);
          writeBars(json, "path", path[use.row]);
        });
      }
    });
  });
}
