//===- tracked.h - HPVM-C programs track their arrays -----------*- C -*---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comes before problem.h: the arrays of the problem are then tracked from
// their allocation until they are freed.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_TRACKED_H
#define SLUICE_BENCH_TRACKED_H

#include <hpvm.h>

#define APP_TRACK(POINTER, BYTES) llvm_hpvm_track_mem(POINTER, BYTES)
#define APP_UNTRACK(POINTER) llvm_hpvm_untrack_mem(POINTER)

#include "app.h"

static inline int appServeGraphs(void) {
  __hpvm__init();
  int status = appServe();
  __hpvm__cleanup();
  return status;
}

#endif // SLUICE_BENCH_TRACKED_H
