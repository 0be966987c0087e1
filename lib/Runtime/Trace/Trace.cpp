//===- Trace.cpp - Timelines of runs --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recording appends to a vector of the worker; the text is made at the end.
//
//===----------------------------------------------------------------------===//

#include "Trace.h"

#include "../Scheduling/Clock.h"
#include "sluice/Base/Output.h"
#include "sluice/Base/Text.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <thread>
#include <unistd.h>

using namespace sluice;

void TraceBuffer::addChunk(const SluicePlanNode &node, UnitRange units,
                           uint64_t start, uint64_t end, uint64_t launch) {
  std::lock_guard lock(mutex);
  if (!isKept(start, end))
    return;
  chunks.push_back({node.name, units, start, end, launch});
}

void TraceBuffer::addTask(const char *name, const SluiceTask &task,
                          uint64_t start, uint64_t end) {
  std::lock_guard lock(mutex);
  if (!isKept(start, end))
    return;
  calls.push_back({name,
                   task.rank,
                   {task.point[0], task.point[1], task.point[2]},
                   start,
                   end});
}

WorkTimes TraceBuffer::times() {
  std::lock_guard lock(mutex);
  WorkTimes times;
  times.reserve(chunks.size() + calls.size());
  for (const Chunk &chunk : chunks)
    times.push_back({chunk.start, chunk.end});
  for (const TaskCall &call : calls)
    times.push_back({call.start, call.end});
  return times;
}

Trace::Trace(std::string path, unsigned numWorkers, bool keepsEvents)
    : path(std::move(path)), keepsEvents(keepsEvents),
      origin(clockNanoseconds()) {
  for (unsigned i = 0; i < numWorkers; ++i) {
    buffers.push_back(std::make_unique<TraceBuffer>());
    buffers.back()->keepsEvents = keepsEvents;
  }
}

Result<std::unique_ptr<Trace>>
Trace::create(std::string path, unsigned numWorkers, bool hasSummary) {
  const bool keepsEvents = !path.empty();
  std::unique_ptr<Trace> trace(
      new Trace(std::move(path), numWorkers, keepsEvents));
  trace->hasSummary = hasSummary;
  if (!keepsEvents)
    return trace;
  if (Status status = writeOutput(trace->path, TraceText({}).finish());
      !status.ok())
    return status;
  return trace;
}

std::unique_ptr<Trace> Trace::createPart(Trace &whole, unsigned numWorkers) {
  std::unique_ptr<Trace> part(new Trace("", numWorkers, whole.keepsEvents));
  part->whole = whole.whole;
  std::lock_guard lock(part->whole->mutex);
  part->whole->parts.push_back(part.get());
  return part;
}

void Trace::restart() {
  for (Trace *part : parts)
    part->restart();
  for (const std::unique_ptr<TraceBuffer> &buffer : buffers) {
    std::lock_guard lock(buffer->mutex);
    buffer->chunks.clear();
    buffer->calls.clear();
    buffer->inKernels = buffer->numParts = 0;
  }
  std::lock_guard lock(mutex);
  instances.clear();
  memoryWaits.clear();
  marks.clear();
  messages.clear();
  numMessages.clear();
  sums = {};
  origin = clockNanoseconds();
  written = false;
}

void Trace::addInstance(const SluicePlan &plan, uint64_t start, uint64_t end) {
  if (!keepsEvents)
    return;
  std::lock_guard lock(whole->mutex);
  whole->instances.push_back(
      {plan.name, whole->graphs.numberOf(plan), start, end});
}

void Trace::addInstance(const char *name, uint64_t start, uint64_t end) {
  if (!keepsEvents)
    return;
  std::lock_guard lock(whole->mutex);
  whole->instances.push_back({name, TraceGraphs::none, start, end});
}

void Trace::addMemoryWait(const SluicePlan &plan, uint64_t start,
                          uint64_t end) {
  if (!keepsEvents)
    return;
  std::lock_guard lock(whole->mutex);
  whole->memoryWaits.push_back({plan.name, TraceGraphs::none, start, end});
}

/// Launches overlap, but complete events in one row must nest. So each launch
/// is put into the first row that is free when it starts.
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

void Trace::addPlacement(const char *node, std::string place,
                         const char *policy) {
  if (!keepsEvents)
    return;
  uint64_t now = clockNanoseconds();
  std::lock_guard lock(whole->mutex);
  whole->marks.push_back({node, std::move(place), policy, now});
}

/// The processor's name from the system; empty if there is none.
static std::string processorName() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (const size_t at = line.find(": ");
        line.starts_with("model name") && at != std::string::npos)
      return line.substr(at + 2);
  return "";
}

void Trace::addMachine(TraceText &text) {
  text.addProcessName(hostProcess(), ranks ? ranks->name() : "sluice");
  const std::string processor = processorName();
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  text.addProcessLabel(hostProcess(),
                       concat(processor, processor.empty() ? "" : ", ",
                              countOf(cores, "core", "cores")));
}

void Trace::addChunks(TraceText &text, TraceText::Row row, TraceBuffer &buffer,
                      TraceArrows &arrows) {
  std::lock_guard lock(buffer.mutex);
  for (const TraceBuffer::Chunk &chunk : buffer.chunks) {
    const uint64_t launch =
        arrows.add(chunk.name, chunk.launch, {row, chunk.start, chunk.end});
    text.addEvent(row, chunk.name, "chunk", chunk.start, chunk.end,
                  [&](JsonWriter &json) {
                    json.add("begin", chunk.units.begin);
                    json.add("end", chunk.units.end);
                    if (launch)
                      json.add("launch", launch);
                  });
  }
  for (const TraceBuffer::TaskCall &call : buffer.calls)
    text.addEvent(row, call.name, "task", call.start, call.end,
                  [&](JsonWriter &json) {
                    if (!call.rank)
                      return;
                    json.key("point").beginArray();
                    for (int32_t d = 0; d < call.rank; ++d)
                      json.value(call.point[d]);
                    json.endArray();
                  });
}

unsigned Trace::addWorkers(TraceText &text, TraceArrows &arrows) {
  std::vector<Trace *> all = {this};
  all.insert(all.end(), parts.begin(), parts.end());
  std::vector<std::vector<WorkTimes>> sets;
  for (const Trace *one : all) {
    std::vector<WorkTimes> &set = sets.emplace_back(one->buffers.size());
    for (size_t i = 0; i < set.size() && !parts.empty(); ++i)
      set[i] = one->buffers[i]->times();
  }
  TraceText::Row row = {hostProcess(), 0};
  for (const WorkerRow &shown : workerRows(sets)) {
    text.addRowName(row, shown.name);
    for (auto [set, worker] : shown.workers)
      addChunks(text, row, *all[set]->buffers[worker], arrows);
    ++row.row;
  }
  return row.row;
}

unsigned Trace::addLaunches(TraceText &text, unsigned firstRow) {
  std::vector<uint64_t> rowEnds;
  for (size_t i = 0; i < instances.size(); ++i) {
    const TracedLaunch &instance = instances[i];
    unsigned row = freeRow(rowEnds, instance.start, instance.end);
    text.addEvent({hostProcess(), firstRow + row}, instance.name, "launch",
                  instance.start, instance.end,
                  [&](JsonWriter &json) { json.add("launch", i + 1); });
  }
  unsigned row = firstRow;
  for (unsigned i = 0; i < rowEnds.size(); ++i)
    text.addRowName({hostProcess(), row++}, concat("launches ", i + 1));
  if (!marks.empty())
    text.addRowName({hostProcess(), row}, "placement");
  for (const Mark &mark : marks)
    text.addMark({hostProcess(), row}, concat(mark.node, " on ", mark.place),
                 "placement", mark.time,
                 [&](JsonWriter &json) { json.add("policy", mark.policy); });
  return row + !marks.empty();
}

/// Returns the first row after its own rows.
unsigned Trace::addMemoryWaits(TraceText &text, unsigned firstRow) {
  sortByStart(memoryWaits);
  std::vector<uint64_t> rowEnds;
  for (const TracedLaunch &wait : memoryWaits) {
    const unsigned row = firstRow + freeRow(rowEnds, wait.start, wait.end);
    text.addEvent({hostProcess(), row}, wait.name, "memory", wait.start,
                  wait.end);
  }
  for (unsigned i = 0; i < rowEnds.size(); ++i)
    text.addRowName({hostProcess(), firstRow + i},
                    concat("waits for memory ", i + 1));
  return firstRow + static_cast<unsigned>(rowEnds.size());
}

uint64_t Trace::beginMessage(const MessageInfo &message) {
  std::lock_guard lock(whole->mutex);
  return whole->numMessages[{message.peer, message.tag, message.isSend}]++;
}

void Trace::addMessage(const MessageInfo &message, uint64_t number,
                       uint64_t start, uint64_t end) {
  std::lock_guard lock(whole->mutex);
  RunTotals &sums = whole->sums;
  ++(message.isSend ? sums.numSent : sums.numReceived);
  (message.isSend ? sums.bytesSent : sums.bytesReceived) += message.bytes;
  if (keepsEvents)
    whole->messages.push_back({message, number, start, end});
}

/// The same on both ranks.
std::string Trace::idOf(const MessageInfo &message, uint64_t number) const {
  const uint32_t own = ranks ? ranks->rank() : 0;
  return concat(message.isSend ? own : message.peer, '-',
                message.isSend ? message.peer : own, '-', message.tag, '-',
                number);
}

void Trace::addMessages(TraceText &text, unsigned firstRow) {
  std::sort(messages.begin(), messages.end(),
            [](const MessageTime &a, const MessageTime &b) {
              return a.start < b.start;
            });
  std::vector<uint64_t> rowEnds;
  for (const MessageTime &message : messages) {
    const MessageInfo &info = message.info;
    const TraceText::Row row = {
        hostProcess(), firstRow + freeRow(rowEnds, message.start, message.end)};
    text.addEvent(row,
                  concat(info.isSend ? "to rank " : "from rank ", info.peer),
                  "message", message.start, message.end, [&](JsonWriter &json) {
                    json.add("bytes", info.bytes);
                    json.add("exchange", info.tag);
                  });
    text.addArrow(row, "message", !info.isSend, idOf(info, message.number),
                  info.isSend ? message.start : message.end);
  }
  for (unsigned i = 0; i < rowEnds.size(); ++i)
    text.addRowName({hostProcess(), firstRow + i}, concat("messages ", i + 1));
}

std::string Trace::text(const TraceClock &clock, bool mayAskDevices) {
  TraceText text(clock);
  addMachine(text);
  std::lock_guard lock(mutex);
  sortByStart(instances);
  TraceArrows arrows(graphs, instances);
  graphs.addTo(text, hostProcess());
  const unsigned row = addWorkers(text, arrows);
  arrows.addTo(text);
  addMessages(text, addMemoryWaits(text, addLaunches(text, row)));
  unsigned process = hostProcess();
  for (const std::unique_ptr<TraceRows> &device : devices)
    device->addTo(text, ++process, mayAskDevices);
  return text.finish();
}

Status Trace::writeCopy(const std::string &to) {
  if (!keepsEvents)
    return Status::misuse("there is no trace, but a summary only: "
                          "SLUICE_TRACE must name its file");
  return writeOutput(to, text({.origin = origin}, /*mayAskDevices=*/true));
}

RunTotals Trace::totals() {
  std::lock_guard lock(mutex);
  RunTotals totals = sums;
  totals.elapsed = clockNanoseconds() - origin;
  std::vector<Trace *> all = {this};
  all.insert(all.end(), parts.begin(), parts.end());
  for (Trace *one : all) {
    totals.numWorkers = std::max(totals.numWorkers, one->buffers.size());
    for (const std::unique_ptr<TraceBuffer> &buffer : one->buffers) {
      std::lock_guard bufferLock(buffer->mutex);
      totals.inKernels += buffer->inKernels;
      totals.numParts += buffer->numParts;
    }
  }
  return totals;
}

void Trace::printSummary(bool isTogether) {
  std::vector<RunTotals> all = {totals()};
  // A rank that ends by itself cannot compare clocks.
  if (ranks && !isTogether)
    return;
  if (ranks)
    all = ranks->gather(all.front());
  if (!ranks || ranks->rank() == 0)
    std::fputs(summaryText(all).c_str(), stderr);
}

Status Trace::write(bool mayAskDevices, bool isTogether) {
  if (written || whole != this)
    return {};
  written = true;
  if (hasSummary)
    printSummary(isTogether);
  if (!keepsEvents)
    return {};
  if (!ranks || !isTogether)
    return writeOutput(path, text({.origin = origin}, mayAskDevices));
  const TraceClock clock = ranks->clock(origin);
  std::string all = ranks->merge(text(clock, mayAskDevices));
  if (ranks->rank() == 0)
    return writeOutput(path, all);
  // The file that was written at the start as a test.
  (void)::unlink(path.c_str());
  return {};
}
