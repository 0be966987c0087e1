//===- Crashes.cpp - Naming the running task of a crashed process ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A task that crashes or calls abort ends the process. Before that, the running
// task is printed. Signals that already have a handler, of a debugger or of the
// program itself, are not intercepted.
//
//===----------------------------------------------------------------------===//

#include "Crashes.h"
#include "KernelCall.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

using namespace sluice;

namespace {
/// Text that a signal handler may write.
class CrashText {
public:
  void add(const char *text) {
    while (*text && size < sizeof(buffer))
      buffer[size++] = *text++;
  }
  void add(int64_t number) {
    char digits[24];
    size_t first = sizeof(digits) - 1;
    digits[first] = 0;
    const bool isNegative = number < 0;
    do
      digits[--first] = static_cast<char>('0' + std::abs(number % 10));
    while (number /= 10);
    if (isNegative)
      digits[--first] = '-';
    add(digits + first);
  }
  void add(const UserCode &code) {
    add(code.what);
    add(" '");
    add(code.name);
    add("'");
    for (int d = 0; d < code.rank; ++d) {
      if (d == 0) {
        add(" at ");
        add(code.place);
      }
      add(d == 0 ? " (" : ", ");
      add(code.at[d]);
    }
    add(code.rank ? ")" : "");
  }
  void write() const { (void)!::write(STDERR_FILENO, buffer, size); }

private:
  char buffer[1024];
  size_t size = 0;
};
} // namespace

bool sluice::isFromOutside(const siginfo_t &info) {
  return (info.si_code == SI_USER || info.si_code == SI_TKILL ||
          info.si_code == SI_QUEUE) &&
         info.si_pid != ::getpid();
}

static void sayWhatRan(int signal, siginfo_t *info, void *) {
  static constinit std::atomic<bool> isSaid{false};
  const RunningCode running = runningCode;
  if ((running.task || running.code) && !isSaid.exchange(true)) {
    CrashText text;
    text.add("sluice: error: ");
    const UserCode code = running.code ? *running.code : codeOf(*running.task);
    if (const char *problem = runningProblem.load()) {
      text.add(code);
      text.add(": ");
      text.add(problem);
      text.add("\nsluice: error: ");
    }
    text.add(code);
    if (isFromOutside(*info)) {
      text.add(": while it ran, another process sent a signal: ");
      text.add(::sigdescr_np(signal));
      text.add("\n");
    } else if (signal == SIGABRT) {
      text.add(": it called abort\n");
    } else {
      text.add(": it was ended by a signal: ");
      text.add(::sigdescr_np(signal));
      text.add("\n");
    }
    text.write();
  }
  // The default action has been restored.
  ::raise(signal);
}

void sluice::sayWhatCrashes(bool isRank) {
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    struct sigaction known = {}, action = {};
    ::sigaction(signal, nullptr, &known);
    // On a rank, MPI has handlers, which do not know tasks.
    if (((known.sa_flags & SA_SIGINFO) || known.sa_handler != SIG_DFL) &&
        !isRank)
      continue;
    action.sa_sigaction = sayWhatRan;
    action.sa_flags = SA_SIGINFO | SA_RESETHAND | SA_ONSTACK;
    ::sigaction(signal, &action, nullptr);
  }
}
