//===- ExitGuard.h - No compiling while the process ends ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's static objects are destroyed when a process ends, maybe while a
// worker thread compiles. The guard registers a handler after LLVM's objects
// were made, which therefore runs before they go: it waits for what compiles,
// a few milliseconds, and refuses the rest.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_PACKJIT_EXITGUARD_H
#define SLUICE_PACKJIT_EXITGUARD_H

#include <condition_variable>
#include <mutex>

namespace sluice::pack {

/// One per process; never destroyed.
class ExitGuard {
public:
  ExitGuard();
  /// Registers the handler. To be called before LLVM works for the first time;
  /// its static objects of the libraries exist by then.
  void arm();

  /// Surrounds each use of LLVM.
  class Scope {
  public:
    explicit Scope(ExitGuard &guard) : guard(guard), entered(guard.enter()) {}
    ~Scope() {
      if (entered)
        guard.leave();
    }
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;
    bool mayRun() const { return entered; }

  private:
    ExitGuard &guard;
    bool entered;
  };

private:
  bool enter();
  void leave();
  void end();
  static void endAll();

  std::mutex mutex;
  std::condition_variable allLeft;
  int inside = 0;
  unsigned uses = 0;
  bool isEnding = false;
};

} // namespace sluice::pack

#endif // SLUICE_PACKJIT_EXITGUARD_H
