//===- EventLoop.h - Waiting for several events -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The language server has one thread, so that it can fork itself for a check.
// It answers one message at a time. While the thread waits for the editor, it
// handles checks that have ended and timers that are due.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_EDITOR_EVENTLOOP_H
#define SLUICE_LIB_DRIVER_EDITOR_EVENTLOOP_H

#include <chrono>
#include <functional>
#include <map>
#include <string>

namespace sluice::driver {

/// Not thread-safe. Callbacks may watch files, forget files and set timers.
class EventLoop {
public:
  using Clock = std::chrono::steady_clock;

  /// Calls `ready` whenever the file has input or has ended.
  void watch(int file, std::function<void()> ready);
  void forget(int file);

  /// Calls `due` once, at `time`; replaces a timer of the same name.
  void setTimer(const std::string &name, Clock::time_point time,
                std::function<void()> due);
  void clearTimer(const std::string &name);

  /// Handles other events until `file` has input.
  void waitFor(int file);

private:
  struct Timer {
    Clock::time_point time;
    std::function<void()> due;
  };
  void runDueTimers();
  /// For poll: milliseconds until the next timer, -1 if there is none.
  int timeout() const;

  std::map<int, std::function<void()>> watched;
  std::map<std::string, Timer> timers;
};

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_EDITOR_EVENTLOOP_H
