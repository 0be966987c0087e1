//===- TraceText.h - The trace event format -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Chrome and Perfetto read: events as JSON objects, each followed by a
// comma. A process is a group of rows, a thread is a row.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_TRACE_TRACETEXT_H
#define SLUICE_RUNTIME_TRACE_TRACETEXT_H

#include <cstdint>
#include <string>
#include <string_view>

namespace sluice {

/// Microseconds since `origin`, with three digits after the point.
std::string traceTime(uint64_t nanoseconds, uint64_t origin);
std::string traceProcessName(unsigned process, std::string_view name);
/// More about a process than its name.
std::string traceProcessLabel(unsigned process, std::string_view label);
std::string traceRowName(unsigned process, unsigned row, std::string_view name);
/// `arguments` is the inside of a JSON object.
std::string traceCompleteEvent(unsigned process, unsigned row, const char *name,
                               const char *category, uint64_t start,
                               uint64_t end, uint64_t origin,
                               const std::string &arguments);
/// A mark at one time, in a row.
std::string traceMark(unsigned process, unsigned row, std::string_view name,
                      const char *category, uint64_t time, uint64_t origin,
                      const std::string &arguments);

} // namespace sluice

#endif // SLUICE_RUNTIME_TRACE_TRACETEXT_H
