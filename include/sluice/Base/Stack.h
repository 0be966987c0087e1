//===- Stack.h - Tools with a stack that is large enough ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compilers recurse over their input. The shell's stack limit must not
// determine whether a tool can process a deeply nested input. So tools run on a
// large stack of their own, and print an error if even that is too small.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BASE_STACK_H
#define SLUICE_BASE_STACK_H

#include <functional>

namespace sluice {

/// Runs `body`, a whole tool, on a thread with a large stack and returns its
/// result. Runs it on the calling thread if no thread can be started. A stack
/// overflow ends the process with an error that starts with `tool`, and status
/// 1. From here on, writing a file beyond the size limit makes the call fail
/// and raises no signal.
int runOnLargeStack(const char *tool, const std::function<int()> &body);

/// Undoes the changes of runOnLargeStack that programs started by the tool
/// would inherit; for a tool that executes the user's program in its own
/// process.
void restoreLimits();

} // namespace sluice

#endif // SLUICE_BASE_STACK_H
