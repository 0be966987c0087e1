//===- DeviceTrace.cpp - Timelines of devices -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes rows of events. Within a row, events must be nested or disjoint. The
// clocks of devices are not exact enough for that, so small overlaps are
// trimmed.
//
//===----------------------------------------------------------------------===//

#include "DeviceTrace.h"

#include "sluice/Base/Text.h"

#include <algorithm>

using namespace sluice;

thread_local const char *TraceLabel::current = nullptr;

//===----------------------------------------------------------------------===//
// Queues
//===----------------------------------------------------------------------===//

void QueueTrace::add(Kind kind, const char *name, uint64_t bytes,
                     device::Event event) {
  if (!event)
    return;
  std::lock_guard lock(mutex);
  kindsSeen |= 1u << static_cast<unsigned>(kind);
  pending.push_back({{kind, name, bytes, {}}, std::move(event)});
  readTimes(false);
}

/// Reads the times of completed operations and frees their events, which hold
/// resources of the driver. Failed operations have no times.
void QueueTrace::readTimes(bool all) {
  while (!pending.empty()) {
    Pending &first = pending.front();
    if (!all && !first.event.hasEnded())
      return;
    if (first.event.wait().ok())
      if (Result<device::TimeInterval> time = first.event.interval();
          time.ok()) {
        first.operation.time = *time;
        ended.push_back(first.operation);
      }
    pending.pop_front();
  }
}

std::vector<QueueTrace::Operation> QueueTrace::operations(bool mayAsk) {
  std::lock_guard lock(mutex);
  if (mayAsk)
    readTimes(true);
  std::vector<Operation> sorted = ended;
  std::sort(sorted.begin(), sorted.end(),
            [](const Operation &a, const Operation &b) {
              return a.time.start < b.time.start;
            });
  uint64_t last = 0;
  for (Operation &operation : sorted) {
    operation.time.start = std::max(operation.time.start, last);
    operation.time.end = std::max(operation.time.end, operation.time.start);
    last = operation.time.end;
  }
  return sorted;
}

void QueueTrace::close() {
  std::lock_guard lock(mutex);
  readTimes(false);
  pending.clear();
}

const char *QueueTrace::rowName() {
  std::lock_guard lock(mutex);
  auto onlySaw = [&](Kind kind) {
    return kindsSeen == 1u << static_cast<unsigned>(kind);
  };
  constexpr unsigned runs = 1u << static_cast<unsigned>(Kind::Kernel) |
                            1u << static_cast<unsigned>(Kind::Replay);
  if (kindsSeen & runs)
    return "kernels";
  if (onlySaw(Kind::Upload))
    return "uploads";
  return onlySaw(Kind::Download) ? "downloads" : "copies";
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

QueueTrace &DeviceTrace::addQueue() {
  std::lock_guard lock(mutex);
  return *queues.emplace_back(std::make_unique<QueueTrace>());
}

void DeviceTrace::close() {
  std::lock_guard lock(mutex);
  for (const std::unique_ptr<QueueTrace> &queue : queues)
    queue->close();
  kernelNames.clear();
}

void DeviceTrace::nameKernel(const device::DeviceKernel *kernel,
                             const char *node) {
  std::lock_guard lock(mutex);
  kernelNames.emplace(kernel, node);
}

const char *DeviceTrace::nodeOf(const device::DeviceKernel *kernel) {
  std::lock_guard lock(mutex);
  auto found = kernelNames.find(kernel);
  return found == kernelNames.end() ? nullptr : found->second;
}

void DeviceTrace::addCompilation(const char *graph, uint64_t start,
                                 uint64_t end) {
  std::lock_guard lock(mutex);
  compilations.push_back({graph, start, end});
}

static const char *categoryOf(QueueTrace::Kind kind) {
  switch (kind) {
  case QueueTrace::Kind::Kernel:
    return "kernel";
  case QueueTrace::Kind::Upload:
    return "upload";
  case QueueTrace::Kind::Download:
    return "download";
  case QueueTrace::Kind::Copy:
    return "copy";
  case QueueTrace::Kind::Replay:
    return "recording";
  }
  return "";
}

namespace {
/// The number of transferred bytes over time.
struct Moved {
  uint64_t time;
  QueueTrace::Kind kind;
  uint64_t bytes;
};
} // namespace

/// Adds counters after each transfer.
static void addCounters(TraceText &text, unsigned process,
                        std::vector<Moved> &moved) {
  std::sort(moved.begin(), moved.end(),
            [](const Moved &a, const Moved &b) { return a.time < b.time; });
  uint64_t sent = 0, fetched = 0;
  for (const Moved &one : moved) {
    (one.kind == QueueTrace::Kind::Upload ? sent : fetched) += one.bytes;
    text.addCounters({process, 0}, "bytes", one.time, [&](JsonWriter &json) {
      json.add("uploaded", sent).add("downloaded", fetched);
    });
  }
}

void DeviceTrace::addTo(TraceText &text, unsigned process, bool mayAsk) {
  std::lock_guard lock(mutex);
  text.addProcessName(process, name);
  text.addProcessLabel(process, description);
  std::vector<Moved> moved;
  for (size_t i = 0; i < queues.size(); ++i) {
    const TraceText::Row row = {process, static_cast<unsigned>(i)};
    std::vector<QueueTrace::Operation> operations =
        queues[i]->operations(mayAsk);
    if (operations.empty())
      continue;
    text.addRowName(row, queues[i]->rowName());
    for (const QueueTrace::Operation &operation : operations) {
      using Kind = QueueTrace::Kind;
      const char *category = categoryOf(operation.kind);
      bool isTransfer =
          operation.kind != Kind::Kernel && operation.kind != Kind::Replay;
      if (operation.kind == Kind::Upload || operation.kind == Kind::Download)
        moved.push_back({operation.time.end, operation.kind, operation.bytes});
      text.addEvent(row, operation.name ? operation.name : category, category,
                    operation.time.start, operation.time.end,
                    [&](JsonWriter &json) {
                      if (isTransfer)
                        json.add("bytes", operation.bytes);
                    });
    }
  }
  const TraceText::Row row = {process, static_cast<unsigned>(queues.size())};
  if (!compilations.empty())
    text.addRowName(row, "compiling");
  for (const Compilation &one : compilations)
    text.addEvent(row, one.graph, "compile", one.start, one.end);
  addCounters(text, process, moved);
}
