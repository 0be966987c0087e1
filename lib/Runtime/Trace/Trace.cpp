//===- Trace.cpp - Timelines of runs --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recording appends to a vector of the worker; the text is made at the end.
//
//===----------------------------------------------------------------------===//

#include "Trace.h"

#include "../Scheduling/Clock.h"
#include "TraceText.h"

#include "sluice/Base/Output.h"
#include "sluice/Base/Text.h"

#include <algorithm>

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
  if (Status status = writeOutput(trace->path, trace->text(false));
      !status.ok())
    return status;
  return trace;
}

void Trace::addInstance(const char *plan, uint64_t start, uint64_t end) {
  std::lock_guard lock(mutex);
  instances.push_back({plan, start, end});
}

/// Launches overlap, but complete events in one row would have to nest. So each
/// launch goes to the first row that is free when it starts.
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

void Trace::addPlacement(const char *node, std::string place,
                         const char *policy) {
  uint64_t now = clockNanoseconds();
  std::lock_guard lock(mutex);
  marks.push_back({node, std::move(place), policy, now});
}

std::string Trace::workerText(unsigned worker) {
  std::string out =
      traceRowName(hostProcess, worker,
                   worker ? concat("worker ", worker) : "host (worker 0)");
  TraceBuffer &buffer = *buffers[worker];
  std::lock_guard lock(buffer.mutex);
  for (const TraceBuffer::Chunk &chunk : buffer.chunks)
    out += traceCompleteEvent(
        hostProcess, worker, chunk.name, "chunk", chunk.start, chunk.end,
        origin,
        concat("\"begin\":", chunk.units.begin, ",\"end\":", chunk.units.end));
  for (const TraceBuffer::TaskCall &call : buffer.calls)
    out += traceCompleteEvent(hostProcess, worker, call.name, "task",
                              call.start, call.end, origin,
                              pointArgument(call.rank, call.point));
  return out;
}

std::string Trace::launchText() {
  unsigned numWorkers = static_cast<unsigned>(buffers.size());
  std::vector<Instance> sorted = instances;
  std::sort(
      sorted.begin(), sorted.end(),
      [](const Instance &a, const Instance &b) { return a.start < b.start; });
  std::string out;
  std::vector<uint64_t> rowEnds;
  for (const Instance &instance : sorted) {
    unsigned row = freeRow(rowEnds, instance.start, instance.end);
    out +=
        traceCompleteEvent(hostProcess, numWorkers + row, instance.plan,
                           "launch", instance.start, instance.end, origin, "");
  }
  unsigned row = numWorkers;
  for (unsigned i = 0; i < rowEnds.size(); ++i)
    out += traceRowName(hostProcess, row++, concat("launches ", i + 1));
  if (!marks.empty())
    out += traceRowName(hostProcess, row, "placement");
  for (const Mark &mark : marks)
    out += traceMark(hostProcess, row, concat(mark.node, " on ", mark.place),
                     "placement", mark.time, origin,
                     concat("\"policy\":\"", mark.policy, '"'));
  return out;
}

std::string Trace::text(bool mayAskDevices) {
  std::string out = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
  for (unsigned i = 0; i < buffers.size(); ++i)
    out += workerText(i);
  std::lock_guard lock(mutex);
  out += launchText();
  unsigned process = hostProcess;
  for (const std::unique_ptr<TraceRows> &device : devices)
    out += device->text(++process, origin, mayAskDevices);
  // The last event has no comma behind it.
  out += traceProcessName(hostProcess, "sluice");
  out.resize(out.size() - 2);
  return out + "\n]}\n";
}

Status Trace::write(bool mayAskDevices) {
  if (written)
    return {};
  written = true;
  return writeOutput(path, text(mayAskDevices));
}
