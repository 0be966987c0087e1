//===- Trace.cpp - Timelines of runs --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recording is an append to a worker's own vector; text is made at the end.
//
//===----------------------------------------------------------------------===//

#include "Trace.h"

#include "Clock.h"

#include "sluice/Base/Files.h"
#include "sluice/Base/Text.h"

#include <algorithm>
#include <cstdio>

using namespace sluice;

void TraceBuffer::addChunk(const SluicePlanNode &node, UnitRange units,
                           uint64_t start, uint64_t end) {
  std::lock_guard lock(mutex);
  chunks.push_back({node.name, units, start, end});
}

void TraceBuffer::addTask(const char *name, const SluiceTask &task,
                          uint64_t start, uint64_t end) {
  std::lock_guard lock(mutex);
  calls.push_back({name,
                   task.rank,
                   {task.point[0], task.point[1], task.point[2]},
                   start,
                   end});
}

Trace::Trace(std::string path, unsigned numWorkers)
    : path(std::move(path)), origin(clockNanoseconds()) {
  for (unsigned i = 0; i < numWorkers; ++i)
    buffers.push_back(std::make_unique<TraceBuffer>());
}

Result<std::unique_ptr<Trace>> Trace::create(std::string path,
                                             unsigned numWorkers) {
  std::unique_ptr<Trace> trace(new Trace(std::move(path), numWorkers));
  if (Status status = writeFileAtomically(trace->path, trace->text());
      !status.ok())
    return status;
  return trace;
}

void Trace::addInstance(const char *plan, uint64_t start, uint64_t end) {
  std::lock_guard lock(mutex);
  instances.push_back({plan, start, end});
}

/// Microseconds with three digits after the point.
static std::string microseconds(uint64_t nanoseconds) {
  char text[32];
  std::snprintf(text, sizeof(text), "%llu.%03u",
                static_cast<unsigned long long>(nanoseconds / 1000),
                static_cast<unsigned>(nanoseconds % 1000));
  return text;
}

static std::string completeEvent(const char *name, const char *category,
                                 unsigned row, uint64_t start, uint64_t end,
                                 const std::string &arguments) {
  return concat("{\"ph\":\"X\",\"pid\":1,\"tid\":", row,
                ",\"name\":", jsonString(name), ",\"cat\":\"", category,
                "\",\"ts\":", microseconds(start),
                ",\"dur\":", microseconds(end - start), ",\"args\":{",
                arguments, "}},\n");
}

static std::string rowName(unsigned row, std::string_view name) {
  return concat("{\"ph\":\"M\",\"pid\":1,\"tid\":", row,
                ",\"name\":\"thread_name\",\"args\":{\"name\":",
                jsonString(name), "}},\n");
}

/// Launches overlap, so they get rows of their own as complete events would
/// have to nest: each goes to the first row that is free at its start.
static unsigned freeRow(std::vector<uint64_t> &rowEnds, uint64_t start,
                        uint64_t end) {
  unsigned row = 0;
  while (row < rowEnds.size() && rowEnds[row] > start)
    ++row;
  if (row == rowEnds.size())
    rowEnds.push_back(0);
  rowEnds[row] = end;
  return row;
}

/// "\"point\":[1,2]"; nothing for a single task.
static std::string pointArgument(int32_t rank, const int64_t *point) {
  std::string out;
  for (int32_t d = 0; d < rank; ++d)
    out += concat(d ? "," : "\"point\":[", point[d]);
  return rank ? out + "]" : out;
}

std::string Trace::text() {
  std::string out = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
  unsigned numWorkers = buffers.size();
  for (unsigned i = 0; i < numWorkers; ++i) {
    out += rowName(i, i ? concat("worker ", i) : "host (worker 0)");
    std::lock_guard lock(buffers[i]->mutex);
    for (const TraceBuffer::Chunk &chunk : buffers[i]->chunks)
      out += completeEvent(chunk.name, "chunk", i, chunk.start - origin,
                           chunk.end - origin,
                           concat("\"begin\":", chunk.units.begin,
                                  ",\"end\":", chunk.units.end));
    for (const TraceBuffer::TaskCall &call : buffers[i]->calls)
      out += completeEvent(call.name, "task", i, call.start - origin,
                           call.end - origin,
                           pointArgument(call.rank, call.point));
  }
  std::lock_guard lock(mutex);
  std::vector<Instance> sorted = instances;
  std::sort(
      sorted.begin(), sorted.end(),
      [](const Instance &a, const Instance &b) { return a.start < b.start; });
  std::vector<uint64_t> rowEnds;
  for (const Instance &instance : sorted) {
    unsigned row = freeRow(rowEnds, instance.start, instance.end);
    out += completeEvent(instance.plan, "launch", numWorkers + row,
                         instance.start - origin, instance.end - origin, "");
  }
  for (unsigned row = 0; row < rowEnds.size(); ++row)
    out += rowName(numWorkers + row, concat("launches ", row + 1));
  out += "{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{"
         "\"name\":\"sluice\"}}\n]}\n";
  return out;
}

Status Trace::write() {
  if (written)
    return {};
  written = true;
  return writeFileAtomically(path, text());
}
