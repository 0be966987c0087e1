//===- Progress.h - What long work is at ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Large programs take a while; who waits wants to know for what and how long
// still, and scripts do not.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BASE_PROGRESS_H
#define SLUICE_BASE_PROGRESS_H

#include <cstddef>
#include <string>

namespace sluice {

/// How much a process says beside what it was asked for.
enum class Verbosity {
  Quiet,  ///< errors only
  Normal, ///< warnings too, and on a terminal what it is at
  Verbose ///< each step, and how long it took
};

/// For the whole process. Not thread-safe: for its beginning.
void setVerbosity(Verbosity verbosity);
Verbosity verbosity();

/// Shows on a terminal, in one line of stderr, what the process is at, once
/// that has taken a second; where stderr is no terminal, nothing. If the
/// process is verbose, each step becomes a line of its own when it is over, on
/// terminals and elsewhere. Objects may be nested: what the inner one says
/// counts until it ends. One thread at a time.
class Progress {
public:
  Progress();
  ~Progress() { finish(); }
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  /// Says what begins: "linking".
  void begin(std::string step) { begin(std::move(step), 0, 0); }
  /// The same of the `number`-th of `count` alike: "[3/12] compiling 'a.c'".
  void begin(std::string step, size_t number, size_t count);
  /// The step is over, and the line goes.
  void finish();

private:
  std::string outer;
  bool isOver = false;
};

/// Takes the line away for text that follows on the terminal; it is shown again
/// when the next step has begun or after a while.
void hideProgress();

/// One line on stderr if the process is verbose: "sluice: TEXT".
void sayVerbosely(const std::string &text);

} // namespace sluice

#endif // SLUICE_BASE_PROGRESS_H
