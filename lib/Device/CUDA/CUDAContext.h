//===- CUDAContext.h - The common state of a CUDA device's objects --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device's primary context, which is shared with a program's own use of
// CUDA, the state of the device, a pool of events, and the device's clock.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DEVICE_CUDA_CUDACONTEXT_H
#define SLUICE_LIB_DEVICE_CUDA_CUDACONTEXT_H

#include "CUDADriver.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace sluice::device::cuda {

/// A recording queue. An operation that CUDA forbids in a thread that captures
/// a stream ends the recording with an error.
class CUDARecorder {
public:
  virtual void abandon(const Status &reason) = 0;

protected:
  ~CUDARecorder() = default;
};

/// The recorder of this thread, or null.
extern thread_local CUDARecorder *recorderOfThread;

class CUDAContext;

/// Whether a device is lost, and the reason. Shared with notifications, which
/// may arrive after the device's objects have been destroyed.
class Loss {
public:
  bool happened() const { return isLost.load(std::memory_order_acquire); }
  /// Keeps only the first reason.
  void note(const std::string &why);
  std::string reason();

private:
  std::atomic<bool> isLost = false;
  std::mutex mutex;
  std::string text;
};

/// The status of a failed call; records the loss if the code is final.
Status failure(const Driver &driver, const std::string &device, Loss &loss,
               Code code, const char *call);

/// A point in time on the clocks of both the device and the host.
struct ClockReference {
  explicit ClockReference(CUDAContext &context) : context(context) {}
  ~ClockReference();
  ClockReference(const ClockReference &) = delete;

  CUDAContext &context;
  EventHandle event = nullptr;
  uint64_t host = 0; ///< nanoseconds of CLOCK_MONOTONIC
};

class CUDAContext {
public:
  CUDAContext(Driver &driver, std::string name, Ordinal device, bool withTiming)
      : driver(driver), api(driver.api), name(std::move(name)), device(device),
        withTiming(withTiming) {}
  ~CUDAContext();
  CUDAContext(const CUDAContext &) = delete;

  /// Retains the device's primary context. The process never releases it,
  /// because threads may have it as their current context.
  Status open();

  /// The status of a call; records that the device is lost.
  Status check(Code code, const char *call) {
    return code == cudaSuccess ? Status() : fail(code, call);
  }
  Status fail(Code code, const char *call) {
    return failure(driver, name, *loss, code, call);
  }

  /// An error if the device is lost, or the process was forked.
  Status checkUsable() {
    if (isFit()) [[likely]]
      return {};
    return unfitError();
  }
  /// Like checkUsable, but also an error if this thread records; then the
  /// recording ends. `what` completes the message: "memory is allocated".
  Status checkMayBlock(const char *what);

  bool isFit() const { return !loss->happened() && !wasForked(); }

  /// An event from the pool. It may be returned before it has completed:
  /// recording it again does not change earlier waits.
  Result<EventHandle> takeEvent();
  void giveEvent(EventHandle event);

  /// The device's clock, measured at most a second ago: the driver returns
  /// times as a float of milliseconds, which is exact only for short times.
  /// Only with timing.
  Result<std::shared_ptr<const ClockReference>> clock();
  /// The host's clock in nanoseconds at a completed event.
  Result<uint64_t> hostTime(const ClockReference &reference, EventHandle event);

  Driver &driver;
  const Api &api;
  const std::string name; ///< "cuda:0"
  const Ordinal device;
  const bool withTiming;
  const std::shared_ptr<Loss> loss = std::make_shared<Loss>();
  ContextHandle handle = nullptr;

private:
  Status unfitError();
  Status measureClock(ClockReference &reference);
  std::shared_ptr<const ClockReference> recentClock();

  std::mutex mutex; ///< of the two below
  std::vector<EventHandle> freeEvents;
  std::shared_ptr<const ClockReference> reference;
  StreamHandle clockStream = nullptr;
  std::mutex measuring; ///< held while the clock is measured
};

/// Makes a context current in this thread, and restores the program's own
/// context afterwards. A thread without a context keeps the context of device
/// 0, which CUDA's runtime would choose for it.
class CurrentContext {
public:
  explicit CurrentContext(CUDAContext &context);
  ~CurrentContext() {
    if (isRestored) [[unlikely]]
      context.api.cuCtxSetCurrent(before);
  }
  CurrentContext(const CurrentContext &) = delete;

private:
  CUDAContext &context;
  ContextHandle before = nullptr;
  bool isRestored = false;
};

/// While an object exists, a recording thread may make calls that do not affect
/// the recording: queries of events, freeing.
class AllowedWhileRecording {
public:
  explicit AllowedWhileRecording(CUDAContext &context) : context(context) {
    if (recorderOfThread) [[unlikely]]
      isChanged = !context.api.cuThreadExchangeStreamCaptureMode(&mode);
  }
  ~AllowedWhileRecording() {
    if (isChanged) [[unlikely]]
      context.api.cuThreadExchangeStreamCaptureMode(&mode);
  }
  AllowedWhileRecording(const AllowedWhileRecording &) = delete;

private:
  CUDAContext &context;
  int mode = captureRelaxed;
  bool isChanged = false;
};

} // namespace sluice::device::cuda

#endif // SLUICE_LIB_DEVICE_CUDA_CUDACONTEXT_H
