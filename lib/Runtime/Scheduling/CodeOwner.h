//===- CodeOwner.h - Whose code a thread runs -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors arise in code that does not know who called it. What the code belongs
// to, a task of a program say, is known to the thread, and goes along with
// parallel loops to the threads that help.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_SCHEDULING_CODEOWNER_H
#define SLUICE_RUNTIME_SCHEDULING_CODEOWNER_H

#include "sluice/Base/Status.h"

#include <string>

namespace sluice {

class CodeOwner {
public:
  virtual ~CodeOwner() = default;
  /// What messages call it.
  virtual std::string text() const = 0;
  /// The exception that is being handled left its code, which runs on this
  /// thread, and says `status`.
  virtual void failed(const Status &status) = 0;

  /// Says what went wrong, if it is the first to.
  virtual void addMessage(const char *text) = 0;

  /// Of the code that this thread runs, or null: nodes of a graph are named by
  /// the graph.
  static CodeOwner *current() { return currentOwner; }
  static void setCurrent(CodeOwner *owner) { currentOwner = owner; }

private:
  __attribute__((
      tls_model("initial-exec"))) static inline constinit thread_local CodeOwner
      *currentOwner = nullptr;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_SCHEDULING_CODEOWNER_H
