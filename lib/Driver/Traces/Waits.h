//===- Waits.h - What time without work was spent on ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kinds of waits mean the same for the rows of a timeline and for the steps
// of the critical path, since both are explained here.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_TRACES_WAITS_H
#define SLUICE_LIB_DRIVER_TRACES_WAITS_H

#include "Causes.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace sluice::driver {

/// Takes parts of a wait, which follow each other: from `start` to `end`, why,
/// and the node that was waited for, or none.
using WaitUse = llvm::function_ref<void(int64_t start, int64_t end,
                                        WaitKind kind, uint32_t waitedFor)>;

/// Says what the time from `start` to `end` was spent on, before the span
/// `next`, which began at `end` or later.
void explainWait(const Timeline &timeline, const Causes &causes, int64_t start,
                 int64_t end, uint32_t next, WaitUse use);

/// The same of a row that did nothing any more.
void explainRest(const Causes &causes, uint32_t rank, int64_t start,
                 int64_t end, WaitUse use);

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_TRACES_WAITS_H
