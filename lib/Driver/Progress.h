//===- Progress.h - What a long command is at -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Large programs take a while; who waits wants to know for what, and scripts
// do not.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_PROGRESS_H
#define SLUICE_LIB_DRIVER_PROGRESS_H

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace sluice::driver {

/// Shows on a terminal, in one line of stderr, what a command is at, once it
/// has run for a second. Where stderr is no terminal it does nothing.
class Progress {
public:
  Progress();
  ~Progress() { finish(); }
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  /// Says what begins.
  void begin(std::string phase);
  /// Takes the line away; call before other text goes to the terminal.
  void finish();

private:
  void show();

  std::mutex mutex;
  std::condition_variable changed;
  std::string phase;
  bool isOver = false;
  std::chrono::steady_clock::time_point start;
  std::thread thread;
};

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_PROGRESS_H
