//===- Waits.h - Reasons for time without work ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Explains waits both for the rows of a timeline and for the steps of the
// critical path, so that the kinds mean the same in both.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_TRACES_WAITS_H
#define SLUICE_LIB_DRIVER_TRACES_WAITS_H

#include "Causes.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace sluice::driver {

/// Receives the consecutive parts of a wait: `start` and `end`, the reason, and
/// the node that was waited for, or none.
using WaitUse = llvm::function_ref<void(int64_t start, int64_t end,
                                        WaitKind kind, uint32_t waitedFor)>;

/// Explains the time from `start` to `end`, before the span `next`, which began
/// at `end` or later.
void explainWait(const Timeline &timeline, const Causes &causes, int64_t start,
                 int64_t end, uint32_t next, WaitUse use);

/// The same for the end of a row, after its last span.
void explainRest(const Causes &causes, uint32_t rank, int64_t start,
                 int64_t end, WaitUse use);

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_TRACES_WAITS_H
