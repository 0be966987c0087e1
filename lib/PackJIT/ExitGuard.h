//===- ExitGuard.h - No compilations at the process's end -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When a process ends, LLVM's static objects are destroyed, possibly while a
// worker thread compiles. The guard registers an exit handler after the
// construction of these objects, so the handler runs before their destructors:
// it waits some milliseconds for compilations in progress, and refuses new
// ones.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_PACKJIT_EXITGUARD_H
#define SLUICE_PACKJIT_EXITGUARD_H

#include <condition_variable>
#include <mutex>

namespace sluice::pack::jit {

/// One per process; never destroyed.
class ExitGuard {
public:
  ExitGuard();
  /// Registers the handler. Call it before the first use of LLVM; the static
  /// objects of the libraries exist by then.
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

} // namespace sluice::pack::jit

#endif // SLUICE_PACKJIT_EXITGUARD_H
