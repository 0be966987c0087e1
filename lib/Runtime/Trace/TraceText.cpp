//===- TraceText.cpp - The trace event format -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes events with numbers in a fixed format, independent of the locale.
//
//===----------------------------------------------------------------------===//

#include "TraceText.h"

#include <charconv>
#include <iterator>

using namespace sluice;

static constexpr std::string_view lastLine = "\n]}\n";

TraceText::TraceText(const TraceClock &clock) : clock(clock) {
  json.beginObject().add("displayTimeUnit", "ns");
  json.key("traceEvents").beginArray();
}

std::string TraceText::finish() {
  json.newLine().endArray().endObject();
  return json.text() + '\n';
}

std::string TraceText::merge(const std::vector<std::string> &texts) {
  std::string all;
  for (const std::string &text : texts) {
    // The first line ends where the events begin.
    std::string_view events = text;
    const size_t first = events.find('\n');
    if (first == std::string_view::npos || !events.ends_with(lastLine) ||
        first + lastLine.size() >= events.size())
      continue;
    if (all.empty())
      all = events.substr(0, first);
    else
      all += ',';
    events.remove_prefix(first);
    events.remove_suffix(lastLine.size());
    all += events;
  }
  return all.append(lastLine);
}

JsonWriter &TraceText::begin(std::string_view phase, unsigned process) {
  return json.newLine().beginObject().add("ph", phase).add("pid", process);
}

/// Writes microseconds with three decimal places.
void TraceText::addNumber(std::string_view name, uint64_t nanoseconds) {
  char text[32];
  char *end = std::to_chars(text, std::end(text), nanoseconds / 1000).ptr;
  const auto rest = static_cast<unsigned>(nanoseconds % 1000);
  *end++ = '.';
  for (unsigned digit : {rest / 100, rest / 10 % 10, rest % 10})
    *end++ = static_cast<char>('0' + digit);
  json.key(name).rawNumber({text, static_cast<size_t>(end - text)});
}

void TraceText::addTime(uint64_t nanoseconds) {
  // Operations before the start of the trace are omitted.
  const uint64_t time = clock.timeOf(nanoseconds);
  addNumber("ts", time > clock.origin ? time - clock.origin : 0);
}

void TraceText::end(const Arguments &arguments) {
  json.key("args").beginObject();
  if (arguments)
    arguments(json);
  json.endObject().endObject();
}

/// Adds an event that names something and was begun with `begin`.
void TraceText::addMetadata(std::string_view kind, std::string_view what,
                            std::string_view text) {
  json.add("name", kind);
  end([&](JsonWriter &json) { json.add(what, text); });
}

void TraceText::addProcessName(unsigned process, std::string_view name) {
  begin("M", process);
  addMetadata("process_name", "name", name);
}

void TraceText::addProcessLabel(unsigned process, std::string_view label) {
  begin("M", process);
  addMetadata("process_labels", "labels", label);
}

void TraceText::addRowName(Row row, std::string_view name) {
  begin("M", row.process).add("tid", row.row);
  addMetadata("thread_name", "name", name);
}

void TraceText::addGraph(unsigned process, std::string_view name,
                         const Arguments &nodesAndEdges) {
  begin("M", process).add("name", "sluice_graph");
  end([&](JsonWriter &json) {
    json.add("graph", name);
    nodesAndEdges(json);
  });
}

void TraceText::addEvent(Row row, std::string_view name,
                         std::string_view category, uint64_t start,
                         uint64_t end, const Arguments &arguments) {
  begin("X", row.process).add("tid", row.row);
  json.add("name", name).add("cat", category);
  addTime(start);
  addNumber("dur", end > start ? end - start : 0);
  this->end(arguments);
}

void TraceText::addMark(Row row, std::string_view name,
                        std::string_view category, uint64_t time,
                        const Arguments &arguments) {
  json.newLine().beginObject().add("ph", "i").add("s", "t");
  json.add("pid", row.process).add("tid", row.row);
  json.add("name", name).add("cat", category);
  addTime(time);
  end(arguments);
}

void TraceText::addArrow(Row row, std::string_view category, bool isEnd,
                         std::string_view id, uint64_t time) {
  begin(isEnd ? "f" : "s", row.process).add("tid", row.row);
  if (isEnd)
    json.add("bp", "e");
  json.add("name", category).add("cat", category).add("id", id);
  addTime(time);
  end({});
}

void TraceText::addCounters(Row row, std::string_view name, uint64_t time,
                            const Arguments &values) {
  begin("C", row.process).add("tid", row.row).add("name", name);
  addTime(time);
  end(values);
}
