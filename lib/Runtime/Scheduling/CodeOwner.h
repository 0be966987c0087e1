//===- CodeOwner.h - The owner of the code that a thread runs -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors occur in code that does not know its caller. The thread knows the
// owner of its code, such as a task of a program, and parallel loops pass the
// owner on to helping threads.
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
  /// The name in messages.
  virtual std::string text() const = 0;
  /// The current exception left the owner's code, which runs on this thread;
  /// `status` describes it.
  virtual void failed(const Status &status) = 0;

  /// Reports an error, unless another one has been reported.
  virtual void addMessage(const char *text) = 0;

  /// The owner of the code that this thread runs, or null: nodes of a graph are
  /// identified by the graph.
  static CodeOwner *current() { return currentOwner; }
  static void setCurrent(CodeOwner *owner) { currentOwner = owner; }

private:
  __attribute__((
      tls_model("initial-exec"))) static inline constinit thread_local CodeOwner
      *currentOwner = nullptr;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_SCHEDULING_CODEOWNER_H
