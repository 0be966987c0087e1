//===- DeviceTrace.h - Timelines of devices -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device provides the times of an operation only after its completion. A
// trace keeps the events of operations until then, and afterwards their times,
// in a row for each queue.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_DEVICES_DEVICETRACE_H
#define SLUICE_RUNTIME_DEVICES_DEVICETRACE_H

#include "../Trace/Trace.h"
#include "../Trace/TraceText.h"

#include "sluice/Device/Device.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace sluice {

/// While an object exists, operations that this thread enqueues are labelled
/// with a node. The name must outlive the trace.
class TraceLabel {
public:
  explicit TraceLabel(const char *node) : before(current) { current = node; }
  ~TraceLabel() { current = before; }
  TraceLabel(const TraceLabel &) = delete;
  TraceLabel &operator=(const TraceLabel &) = delete;
  /// Null: none.
  static const char *get() { return current; }

private:
  static thread_local const char *current;
  const char *before;
};

/// The operations of one queue. Only one thread at a time may add operations.
class QueueTrace {
public:
  enum class Kind { Kernel, Upload, Download, Copy, Replay };
  struct Operation {
    Kind kind;
    const char *name; ///< of the node; null: not known
    uint64_t bytes;   ///< of transfers
    device::TimeInterval time;
  };

  void add(Kind kind, const char *name, uint64_t bytes, device::Event event);
  /// The completed operations, in execution order and disjoint. `mayAsk` is
  /// false if drivers may have been shut down: then only operations with known
  /// times are returned.
  std::vector<Operation> operations(bool mayAsk);
  /// Drops incomplete operations before the device is destroyed.
  void close();
  /// "kernels", "uploads", "downloads", or "copies" if there are several kinds.
  const char *rowName();

private:
  struct Pending {
    Operation operation;
    device::Event event;
  };
  void readTimes(bool all);

  std::mutex mutex;
  std::deque<Pending> pending;
  std::vector<Operation> ended;
  unsigned kindsSeen = 0;
};

/// The rows of one device.
class DeviceTrace final : public TraceRows {
public:
  DeviceTrace(std::string name, std::string description)
      : name(std::move(name)), description(std::move(description)) {}
  QueueTrace &addQueue();
  /// The node of a kernel, for operations without a label.
  void nameKernel(const device::DeviceKernel *kernel, const char *node);
  const char *nodeOf(const device::DeviceKernel *kernel);
  /// Adds the time in which the device's driver compiled the kernels of a
  /// graph. The graph's name must outlive the trace. Times are those of
  /// Clock.h.
  void addCompilation(const char *graph, uint64_t start, uint64_t end);
  /// Call this before the device is destroyed.
  void close();
  void addTo(TraceText &text, unsigned process, bool mayAsk) override;

private:
  const std::string name, description;
  std::mutex mutex;
  std::vector<std::unique_ptr<QueueTrace>> queues;
  std::unordered_map<const device::DeviceKernel *, const char *> kernelNames;
  struct Compilation {
    const char *graph;
    uint64_t start;
    uint64_t end;
  };
  std::vector<Compilation> compilations;
};

/// The same device, with queues that report their operations to the trace.
std::unique_ptr<device::Device>
traceDevice(std::unique_ptr<device::Device> device, DeviceTrace &trace);

} // namespace sluice

#endif // SLUICE_RUNTIME_DEVICES_DEVICETRACE_H
