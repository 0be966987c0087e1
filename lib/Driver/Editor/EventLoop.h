//===- EventLoop.h - Waiting for whatever comes first -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The language server has one thread: it can start a check as a copy of itself,
// and no message is answered while another one is. While the thread waits for
// the editor, it serves checks that have ended and times that have come.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_EDITOR_EVENTLOOP_H
#define SLUICE_LIB_DRIVER_EDITOR_EVENTLOOP_H

#include <chrono>
#include <functional>
#include <map>
#include <string>

namespace sluice::driver {

/// Not thread-safe. What it calls may watch, forget and set timers.
class EventLoop {
public:
  using Clock = std::chrono::steady_clock;

  /// Calls `ready` whenever there is something to read, or an end.
  void watch(int file, std::function<void()> ready);
  void forget(int file);

  /// Calls `due` once, at a time; a timer of the same name is replaced.
  void setTimer(const std::string &name, Clock::time_point time,
                std::function<void()> due);
  void clearTimer(const std::string &name);

  /// Serves the others until there is something to read in `file`.
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
