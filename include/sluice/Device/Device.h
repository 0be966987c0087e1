//===- Device.h - Devices besides the host's cores ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One interface for accelerators: memory, in-order queues with events between
// them, kernels. The vendors' libraries are opened at run time (find, open).
//
// Functions may be called from any thread unless noted otherwise; only one
// thread at a time may use a queue. Operations on queues return at once; the
// call or the event returns their errors. All objects of a device must be
// destroyed before the device. Host memory of a transfer must stay valid until
// the transfer's event has completed.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DEVICE_DEVICE_H
#define SLUICE_DEVICE_DEVICE_H

#include "sluice-c/Plan.h"
#include "sluice/Base/Status.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace sluice::device {

enum class Kind { Host, OpenCL, CUDA };

struct Properties {
  Kind kind = Kind::Host;
  std::string name;        ///< name in SLUICE_DEVICE: "opencl:0"
  std::string description; ///< "NVIDIA H200", "pthread-AMD EPYC ..."
  std::string driver;      ///< platform and versions; part of cache keys
  std::string target;      ///< CUDA: "sm_90"; else ""
  /// False for OpenCL devices that are the host's own cores; programs use them
  /// only if they are named.
  bool isAccelerator = false;
  /// The device works directly on the host's memory: transfers are copies.
  bool sharesMemory = false;
  uint64_t memory = 0;                ///< bytes
  uint64_t maxBuffer = 0;             ///< bytes
  uint64_t localMemory = 0;           ///< bytes per work-group
  uint64_t maxGroup = 0;              ///< items
  std::array<uint64_t, 3> maxItems{}; ///< per dimension of a group
  std::array<uint64_t, 3> maxGrid{};  ///< groups per dimension
  unsigned computeUnits = 0;
  bool hasDouble = false;
  bool hasAtomic64 = false;
  std::vector<SluiceDeviceFormat> formats; ///< best first
};

/// "SPIR-V", "SPIR", "PTX".
const char *formatName(uint32_t format);

/// A time interval in nanoseconds of the host's clock (CLOCK_MONOTONIC).
struct TimeInterval {
  uint64_t start = 0;
  uint64_t end = 0;
};

/// The completion of an operation on a queue. A handle; a default-constructed
/// event has completed.
class Event {
public:
  class State {
  public:
    virtual ~State() = default;
    virtual bool hasEnded() = 0;
    /// Whether it is known to have completed. Unlike hasEnded, does not flush
    /// the queue.
    virtual bool seemsEnded() { return hasEnded(); }
    virtual Status wait() = 0;
    /// The interval of a completed operation.
    virtual Result<TimeInterval> interval() = 0;
  };

  Event() = default;
  explicit Event(std::shared_ptr<State> state) : state(std::move(state)) {}
  explicit operator bool() const { return state != nullptr; }

  bool hasEnded() const { return !state || state->hasEnded(); }
  bool seemsEnded() const { return !state || state->seemsEnded(); }
  /// Blocks until the operation has completed; returns its error, if it failed.
  Status wait() const { return state ? state->wait() : Status(); }
  /// The time during which the device executed it; only if the device was
  /// opened with timing.
  Result<TimeInterval> interval() const { return state->interval(); }
  State *get() const { return state.get(); }

private:
  std::shared_ptr<State> state;
};

/// Memory of a device. Freed with the object; no operation in progress may use
/// it.
class Buffer {
public:
  explicit Buffer(uint64_t size) : size(size) {}
  virtual ~Buffer() = default;
  const uint64_t size; ///< bytes
  /// Unique among all buffers of a process; not 0.
  const uint64_t serial = ++lastSerial;

private:
  static inline std::atomic<uint64_t> lastSerial = 0;
};

class DeviceKernel {
public:
  virtual ~DeviceKernel() = default;
  /// The maximum number of items per group of this kernel, and a suitable
  /// number.
  uint64_t maxGroup = 0;
  uint64_t goodGroup = 0;
};

/// Compiled kernels. Device::load builds them.
class Module {
public:
  virtual ~Module() = default;
  /// Owned by the module.
  virtual Result<DeviceKernel *> kernel(const char *entry) = 0;
};

/// One parameter of a kernel, by position.
struct KernelArgument {
  enum class Kind { Value, Memory, Local };
  Kind kind = Kind::Value;
  const void *value = nullptr; ///< Value; copied by the call
  uint64_t size = 0;           ///< Value, Local: bytes
  Buffer *buffer = nullptr;    ///< Memory: its start; null: a null pointer
};

struct LaunchShape {
  std::array<uint64_t, 3> groups{1, 1, 1};
  std::array<uint64_t, 3> items{1, 1, 1}; ///< per group
};

/// A box of bytes in two memories: `rows` x `layers` runs of `width` bytes. A
/// pitch of 0 means contiguous runs. Rows and layers may be interleaved, but
/// runs must not overlap.
struct CopyBox {
  uint64_t width = 0, rows = 1, layers = 1;
  uint64_t deviceOffset = 0, deviceRowPitch = 0, deviceLayerPitch = 0;
  uint64_t hostRowPitch = 0, hostLayerPitch = 0;
};

/// A sequence of operations that runs repeatedly with the same arguments, as
/// cheaply as the device allows.
class Recording {
public:
  virtual ~Recording() = default;
};

/// Operations run one after another in the order of the calls. Each also waits
/// for the events `after`, which may belong to other queues of the same device.
/// If one of them failed, the operation does not run and fails, too.
class Queue {
public:
  virtual ~Queue() = default;
  virtual Result<Event> write(Buffer &to, uint64_t offset, const void *from,
                              uint64_t size,
                              std::span<const Event> after = {}) = 0;
  virtual Result<Event> read(void *to, Buffer &from, uint64_t offset,
                             uint64_t size,
                             std::span<const Event> after = {}) = 0;
  virtual Result<Event> copy(Buffer &to, uint64_t toOffset, Buffer &from,
                             uint64_t fromOffset, uint64_t size,
                             std::span<const Event> after = {}) = 0;
  virtual Result<Event> writeBox(Buffer &to, const void *from,
                                 const CopyBox &box,
                                 std::span<const Event> after = {}) = 0;
  virtual Result<Event> readBox(void *to, Buffer &from, const CopyBox &box,
                                std::span<const Event> after = {}) = 0;
  virtual Result<Event> launch(DeviceKernel &kernel, const LaunchShape &shape,
                               std::span<const KernelArgument> arguments,
                               std::span<const Event> after = {}) = 0;
  /// Calls `function(context, status)` once when all earlier operations have
  /// completed or failed, in a thread of the driver or the back end, or in the
  /// calling thread. The function must be short and must not call the device.
  virtual Status notify(void (*function)(void *context, Status status),
                        void *context) = 0;
  /// Makes the device begin with the enqueued operations.
  virtual Status flush() = 0;
  /// Blocks until all operations have completed.
  virtual Status finish() = 0;

  /// Until `endBatch`, the device may delay all operations that are enqueued
  /// here: starting many short operations together is cheaper if the device's
  /// threads and the caller compete for processors. `finish` ends a batch, too.
  /// Do not wait for an event inside a batch.
  virtual void beginBatch() {}
  virtual void endBatch() {}

  /// From here on operations are recorded and not run; false if the device does
  /// not support recordings.
  virtual Result<bool> beginRecording() { return false; }
  virtual Result<std::unique_ptr<Recording>> endRecording() {
    return std::unique_ptr<Recording>();
  }
  virtual Result<Event> replay(Recording &recording,
                               std::span<const Event> after = {}) {
    return Status::misuse("this device records nothing");
  }
};

struct OpenOptions {
  bool withTiming = false;    ///< events know their intervals
  std::string cacheDirectory; ///< for built modules; empty: none
};

class Device {
public:
  virtual ~Device() = default;
  const Properties &properties() const { return theProperties; }
  virtual Result<std::unique_ptr<Buffer>> allocate(uint64_t size) = 0;
  /// Host memory that transfers access without a copy (pinned).
  virtual Result<void *> allocateHost(uint64_t size) = 0;
  virtual void freeHost(void *memory) = 0;
  virtual Result<std::unique_ptr<Queue>> createQueue() = 0;
  /// Builds the best image that the device supports, or loads it from the
  /// cache. An error contains the driver's build log.
  virtual Result<std::unique_ptr<Module>>
  load(const SluiceDeviceModule &module) = 0;
  /// False after the device was lost; then every later operation fails.
  virtual bool isUsable() { return true; }

protected:
  Properties theProperties;
};

/// An entry found on this machine: a device, or a library or device that cannot
/// be used.
struct Found {
  Properties properties;
  std::string problem; ///< why it cannot be used; empty if it can
};

enum class Search {
  All,
  /// Devices that are the host's own cores may be left out, because their
  /// drivers take long to open.
  Accelerators,
};
/// All devices found, in the order of their names: CUDA devices, OpenCL
/// devices. The first call in a process opens the vendors' libraries.
std::vector<Found> findDevices(Search search = Search::All);

/// Opens a device by its name, "cuda:0", "opencl:1", "host"; "opencl" and
/// "cuda" mean the first usable one.
Result<std::unique_ptr<Device>> openDevice(const std::string &name,
                                           const OpenOptions &options);

} // namespace sluice::device

#endif // SLUICE_DEVICE_DEVICE_H
