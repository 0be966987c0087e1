//===- TraceText.h - The trace event format -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The format of Chrome and Perfetto: events as JSON objects. A process is a
// group of rows, a thread is a row.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_TRACE_TRACETEXT_H
#define SLUICE_RUNTIME_TRACE_TRACETEXT_H

#include "sluice/Base/Json.h"

#include <functional>
#include <string>
#include <vector>

namespace sluice {

/// Converts times of events to those of a timeline, in nanoseconds.
struct TraceClock {
  /// The time that is 0 in the timeline, in the clock of that timeline.
  uint64_t origin = 0;
  /// How far the own clock is ahead of it: at the own time `since`, and the
  /// drift per nanosecond.
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
  /// Adds an event's data besides its kind and times.
  using Arguments = std::function<void(JsonWriter &)>;

  void addProcessName(unsigned process, std::string_view name);
  /// Adds a label to a process besides its name.
  void addProcessLabel(unsigned process, std::string_view label);
  void addRowName(Row row, std::string_view name);
  /// Adds an event that lasted from `start` to `end`.
  void addEvent(Row row, std::string_view name, std::string_view category,
                uint64_t start, uint64_t end, const Arguments &arguments = {});
  /// Adds a mark at one time.
  void addMark(Row row, std::string_view name, std::string_view category,
               uint64_t time, const Arguments &arguments);
  /// Adds the begin or the end of an arrow, between events that contain its end
  /// times. Both ends have the same id, which is unique in its category.
  void addArrow(Row row, std::string_view category, bool isEnd,
                std::string_view id, uint64_t time);
  /// Adds a graph of nodes that a process ran.
  void addGraph(unsigned process, std::string_view name,
                const Arguments &nodesAndEdges);
  /// Adds counters from `time` on, which are drawn as areas.
  void addCounters(Row row, std::string_view name, uint64_t time,
                   const Arguments &values);

  /// Returns all events; call it once.
  std::string finish();

  /// Joins the texts of several timelines.
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
