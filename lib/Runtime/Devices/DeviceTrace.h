//===- DeviceTrace.h - What devices did when ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Devices know only afterwards when they worked on what. A trace keeps the
// events of operations until they have ended, and then their times, a row for
// each queue.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_DEVICES_DEVICETRACE_H
#define SLUICE_RUNTIME_DEVICES_DEVICETRACE_H

#include "../Trace/Trace.h"

#include "sluice/Device/Device.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace sluice {

/// While one lives, what this thread enqueues is said to be for a node. The
/// name must outlive the trace.
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

/// The operations of one queue. One thread at a time adds.
class QueueTrace {
public:
  enum class Kind { Kernel, Upload, Download, Copy, Replay };
  struct Operation {
    Kind kind;
    const char *name; ///< of the node; null: not known
    uint64_t bytes;   ///< of transfers
    device::Interval time;
  };

  void add(Kind kind, const char *name, uint64_t bytes, device::Event event);
  /// All that have ended, in the order in which they ran, and disjoint.
  /// `mayAsk` is false where drivers may have been shut down: then only those
  /// whose times are known.
  std::vector<Operation> operations(bool mayAsk);
  /// Forgets what has not ended; the device goes away.
  void close();
  /// "kernels", "uploads", "downloads", or "copies" if it did several.
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
  /// Which node a kernel is for, where no label says it.
  void nameKernel(const device::Kernel *kernel, const char *node);
  const char *nodeOf(const device::Kernel *kernel);
  /// Before the device goes away.
  void close();
  std::string text(unsigned number, uint64_t origin, bool mayAsk) override;

private:
  const std::string name, description;
  std::mutex mutex;
  std::vector<std::unique_ptr<QueueTrace>> queues;
  std::unordered_map<const device::Kernel *, const char *> kernelNames;
};

/// The same device, whose queues tell the trace what they do.
std::unique_ptr<device::Device>
traceDevice(std::unique_ptr<device::Device> device, DeviceTrace &trace);

} // namespace sluice

#endif // SLUICE_RUNTIME_DEVICES_DEVICETRACE_H
