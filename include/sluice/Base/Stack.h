//===- Stack.h - Tools that read what nobody foresaw ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compilers recurse over what they read. How deep they get must depend neither
// on the shell's limit nor on luck: tools run on a stack of their own, and if
// even that is too small, they say so.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BASE_STACK_H
#define SLUICE_BASE_STACK_H

#include <functional>

namespace sluice {

/// Runs the whole of a tool on a thread with a large stack and returns what
/// `body` does; on the calling thread if none can be started. A stack that
/// overflows none the less ends the process with an error that starts with
/// `tool`, and status 1. Writing more than a limit allows is an error of the
/// call from here on, and no signal.
int runOnLargeStack(const char *tool, const std::function<int()> &body);

/// Takes back what runOnLargeStack changes for the programs that tools start,
/// for a tool that turns into the user's program.
void restoreLimits();

} // namespace sluice

#endif // SLUICE_BASE_STACK_H
