//===- TraceText.h - The trace event format -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Chrome and Perfetto read: events as JSON objects. A process is a group
// of rows, a thread is a row.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_TRACE_TRACETEXT_H
#define SLUICE_RUNTIME_TRACE_TRACETEXT_H

#include "sluice/Base/Json.h"

#include <functional>
#include <string>
#include <vector>

namespace sluice {

/// Which times events have in a timeline, in nanoseconds.
struct TraceClock {
  /// What is 0 there, in the clock of that timeline.
  uint64_t origin = 0;
  /// By how much the own clock is ahead of it: at the own time `since`, and
  /// more each nanosecond.
  int64_t ahead = 0;
  uint64_t since = 0;
  double drift = 0;

  uint64_t timeOf(uint64_t own) const {
    const auto passed = static_cast<double>(static_cast<int64_t>(own - since));
    return own - ahead - static_cast<int64_t>(drift * passed);
  }
};

/// Writes events, one on each line.
class TraceText {
public:
  explicit TraceText(const TraceClock &clock);

  /// A row of a process.
  struct Row {
    unsigned process, row;
  };
  /// Adds what an event tells beyond its kind and times.
  using Arguments = std::function<void(JsonWriter &)>;

  void addProcessName(unsigned process, std::string_view name);
  /// More about a process than its name.
  void addProcessLabel(unsigned process, std::string_view label);
  void addRowName(Row row, std::string_view name);
  /// What took from `start` to `end`.
  void addEvent(Row row, std::string_view name, std::string_view category,
                uint64_t start, uint64_t end, const Arguments &arguments = {});
  /// A mark at one time.
  void addMark(Row row, std::string_view name, std::string_view category,
               uint64_t time, const Arguments &arguments);
  /// The begin or the end of an arrow between events that enclose the times of
  /// its ends; both have the same id, which no other arrow of its category has.
  void addArrow(Row row, std::string_view category, bool isEnd,
                std::string_view id, uint64_t time);
  /// What a process ran, as a graph of nodes.
  void addGraph(unsigned process, std::string_view name,
                const Arguments &nodesAndEdges);
  /// Counters from `time` on, which are drawn as areas.
  void addCounters(Row row, std::string_view name, uint64_t time,
                   const Arguments &values);

  /// All events; once.
  std::string finish();

  /// The texts of several timelines as one.
  static std::string merge(const std::vector<std::string> &texts);

private:
  JsonWriter &begin(std::string_view phase, unsigned process);
  void addMetadata(std::string_view kind, std::string_view what,
                   std::string_view text);
  void addTime(uint64_t nanoseconds);
  void addNumber(std::string_view name, uint64_t nanoseconds);
  void end(const Arguments &arguments);

  const TraceClock clock;
  JsonWriter json;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_TRACE_TRACETEXT_H
