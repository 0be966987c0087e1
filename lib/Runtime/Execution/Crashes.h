//===- Crashes.h - Signals that end a process -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Helpers for handlers that name the running task.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_EXECUTION_CRASHES_H
#define SLUICE_RUNTIME_EXECUTION_CRASHES_H

#include <csignal>

namespace sluice {

/// Whether another process has sent a signal, so that no task caused it.
/// Handlers may call it.
bool isFromOutside(const siginfo_t &info);

} // namespace sluice

#endif // SLUICE_RUNTIME_EXECUTION_CRASHES_H
