//===- Progress.h - Progress of long operations ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Large programs take a while. Users want to see what the tool does and how
// long it will take; scripts do not.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BASE_PROGRESS_H
#define SLUICE_BASE_PROGRESS_H

#include <cstddef>
#include <string>

namespace sluice {

/// How much a process prints besides its requested output.
enum class Verbosity {
  Quiet,  ///< errors only
  Normal, ///< warnings too, and on a terminal the current step
  Verbose ///< each step, and the time that it took
};

/// Sets the verbosity of the whole process. Not thread-safe: call it at the
/// start.
void setVerbosity(Verbosity verbosity);
Verbosity verbosity();

/// Shows the current step of the process in one line of stderr, once the step
/// has taken a second; only if stderr is a terminal. If the process is verbose,
/// prints a line for each completed step, on terminals and elsewhere. Objects
/// may be nested: the innermost one determines the line. Only one thread at a
/// time may use them.
class Progress {
public:
  Progress();
  ~Progress() { finish(); }
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  /// Begins a step: "linking".
  void begin(std::string step) { begin(std::move(step), 0, 0); }
  /// The same for step `number` of `count` similar ones: "[3/12] compiling
  /// 'a.c'".
  void begin(std::string step, size_t number, size_t count);
  /// Ends the step and removes the line.
  void finish();

private:
  std::string outer;
  bool isOver = false;
};

/// Removes the line before other text is written to the terminal. The line
/// reappears when the next step has begun or after a while.
void hideProgress();

/// Prints one line to stderr if the process is verbose: "sluice: TEXT".
void sayVerbosely(const std::string &text);

} // namespace sluice

#endif // SLUICE_BASE_PROGRESS_H
