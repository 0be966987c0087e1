//===- Interrupts.h - Ctrl-C ends runs --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs of graphs and of programs over regions end early when Ctrl-C is pressed.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PYTHONMODULE_INTERRUPTS_H
#define SLUICE_LIB_PYTHONMODULE_INTERRUPTS_H

#include "sluice-c/TaskProgram.h"

#include <atomic>
#include <csignal>
#include <mutex>
#include <unistd.h>

namespace sluice::pymodule {

/// While one exists, Ctrl-C ends runs between two tasks, as Python's handler of
/// it only notes that it came. Several threads may have one each.
class EndedByInterrupts {
public:
  EndedByInterrupts() {
    std::lock_guard lock(mutex);
    // A task may have forked this process, without the runs of its parent.
    if (process != ::getpid())
      numUsers = 0;
    process = ::getpid();
    if (numUsers++ != 0)
      return;
    sluiceTaskWithdrawStop(SIGINT);
    struct sigaction known = {};
    isOurs = false;
    if (::sigaction(SIGINT, nullptr, &known) != 0 ||
        (known.sa_flags & SA_SIGINFO) || known.sa_handler == SIG_DFL ||
        known.sa_handler == SIG_IGN)
      return;
    isOurs = known.sa_handler == onInterrupt;
    if (isOurs)
      return;
    before = known.sa_handler;
    known.sa_handler = onInterrupt;
    isOurs = ::sigaction(SIGINT, &known, nullptr) == 0;
  }
  ~EndedByInterrupts() {
    std::lock_guard lock(mutex);
    if (process != ::getpid() || --numUsers != 0)
      return;
    struct sigaction known = {};
    if (isOurs && ::sigaction(SIGINT, nullptr, &known) == 0 &&
        known.sa_handler == onInterrupt) {
      known.sa_handler = before;
      ::sigaction(SIGINT, &known, nullptr);
    }
    // It came when the last run had ended.
    sluiceTaskWithdrawStop(SIGINT);
  }
  EndedByInterrupts(const EndedByInterrupts &) = delete;
  EndedByInterrupts &operator=(const EndedByInterrupts &) = delete;

private:
  static void onInterrupt(int signal) {
    sluiceTaskStop(signal);
    if (auto *handler = before.load())
      handler(signal);
  }

  static inline std::mutex mutex;
  static inline pid_t process = 0;
  static inline unsigned numUsers = 0;
  static inline std::atomic<void (*)(int)> before{nullptr};
  static inline bool isOurs = false;
};

} // namespace sluice::pymodule

#endif // SLUICE_LIB_PYTHONMODULE_INTERRUPTS_H
