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

namespace sluice {

/// Writes events, one on each line, with times relative to an origin.
class TraceText {
public:
  explicit TraceText(uint64_t origin);

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
  /// Counters from `time` on, which are drawn as areas.
  void addCounters(Row row, std::string_view name, uint64_t time,
                   const Arguments &values);

  /// All events; once.
  std::string finish();

private:
  JsonWriter &begin(std::string_view phase, unsigned process);
  void addMetadata(std::string_view kind, std::string_view what,
                   std::string_view text);
  void addTime(std::string_view name, uint64_t nanoseconds, uint64_t since);
  void end(const Arguments &arguments);

  const uint64_t origin;
  JsonWriter json;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_TRACE_TRACETEXT_H
