//===- TraceText.cpp - The trace event format -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes events with numbers of fixed form, whatever the locale.
//
//===----------------------------------------------------------------------===//

#include "TraceText.h"

#include "sluice/Base/Text.h"

#include <cstdio>

using namespace sluice;

std::string sluice::traceTime(uint64_t nanoseconds, uint64_t origin) {
  // Operations before the start of the trace are left out.
  uint64_t time = nanoseconds > origin ? nanoseconds - origin : 0;
  char text[32];
  std::snprintf(text, sizeof(text), "%llu.%03u",
                static_cast<unsigned long long>(time / 1000),
                static_cast<unsigned>(time % 1000));
  return text;
}

std::string sluice::traceProcessName(unsigned process, std::string_view name) {
  return concat("{\"ph\":\"M\",\"pid\":", process,
                ",\"name\":\"process_name\",\"args\":{\"name\":",
                jsonString(name), "}},\n");
}

std::string sluice::traceProcessLabel(unsigned process,
                                      std::string_view label) {
  return concat("{\"ph\":\"M\",\"pid\":", process,
                ",\"name\":\"process_labels\",\"args\":{\"labels\":",
                jsonString(label), "}},\n");
}

std::string sluice::traceRowName(unsigned process, unsigned row,
                                 std::string_view name) {
  return concat("{\"ph\":\"M\",\"pid\":", process, ",\"tid\":", row,
                ",\"name\":\"thread_name\",\"args\":{\"name\":",
                jsonString(name), "}},\n");
}

std::string sluice::traceCompleteEvent(unsigned process, unsigned row,
                                       const char *name, const char *category,
                                       uint64_t start, uint64_t end,
                                       uint64_t origin,
                                       const std::string &arguments) {
  return concat("{\"ph\":\"X\",\"pid\":", process, ",\"tid\":", row,
                ",\"name\":", jsonString(name), ",\"cat\":\"", category,
                "\",\"ts\":", traceTime(start, origin),
                ",\"dur\":", traceTime(end, start), ",\"args\":{", arguments,
                "}},\n");
}

std::string sluice::traceMark(unsigned process, unsigned row,
                              std::string_view name, const char *category,
                              uint64_t time, uint64_t origin,
                              const std::string &arguments) {
  return concat("{\"ph\":\"i\",\"s\":\"t\",\"pid\":", process, ",\"tid\":", row,
                ",\"name\":", jsonString(name), ",\"cat\":\"", category,
                "\",\"ts\":", traceTime(time, origin), ",\"args\":{", arguments,
                "}},\n");
}
