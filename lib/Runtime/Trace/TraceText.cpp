//===- TraceText.cpp - The trace event format -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes events with numbers of fixed form, whatever the locale.
//
//===----------------------------------------------------------------------===//

#include "TraceText.h"

#include <cstdio>

using namespace sluice;

TraceText::TraceText(uint64_t origin) : origin(origin) {
  json.beginObject().add("displayTimeUnit", "ns");
  json.key("traceEvents").beginArray();
}

std::string TraceText::finish() {
  json.newLine().endArray().endObject();
  return json.text() + '\n';
}

JsonWriter &TraceText::begin(std::string_view phase, unsigned process) {
  return json.newLine().beginObject().add("ph", phase).add("pid", process);
}

/// Microseconds, with three digits after the point.
void TraceText::addTime(std::string_view name, uint64_t nanoseconds,
                        uint64_t since) {
  // Operations before the start of the trace are left out.
  uint64_t time = nanoseconds > since ? nanoseconds - since : 0;
  char text[32];
  std::snprintf(text, sizeof(text), "%llu.%03u",
                static_cast<unsigned long long>(time / 1000),
                static_cast<unsigned>(time % 1000));
  json.key(name).rawNumber(text);
}

void TraceText::end(const Arguments &arguments) {
  json.key("args").beginObject();
  if (arguments)
    arguments(json);
  json.endObject().endObject();
}

/// An event that names something, which began with `begin`.
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

void TraceText::addEvent(Row row, std::string_view name,
                         std::string_view category, uint64_t start,
                         uint64_t end, const Arguments &arguments) {
  begin("X", row.process).add("tid", row.row);
  json.add("name", name).add("cat", category);
  addTime("ts", start, origin);
  addTime("dur", end, start);
  this->end(arguments);
}

void TraceText::addMark(Row row, std::string_view name,
                        std::string_view category, uint64_t time,
                        const Arguments &arguments) {
  json.newLine().beginObject().add("ph", "i").add("s", "t");
  json.add("pid", row.process).add("tid", row.row);
  json.add("name", name).add("cat", category);
  addTime("ts", time, origin);
  end(arguments);
}

void TraceText::addCounters(Row row, std::string_view name, uint64_t time,
                            const Arguments &values) {
  begin("C", row.process).add("tid", row.row).add("name", name);
  addTime("ts", time, origin);
  end(values);
}
