//===- rows.h - Rows of the table of devices, as HPVM graphs ----*- C -*---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The programs of the table of devices share how a graph is launched and its
// memory fetched.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_DEVICE_ROWS_H
#define SLUICE_BENCH_DEVICE_ROWS_H

#include "problems.h"

#include <hpvm.h>

/// An argument and its size become inputs 2 AT and 2 AT + 1 of NODE.
#define BIND_MEMORY(NODE, ARGUMENT, AT, STREAM)                                \
  __hpvm__bindIn(NODE, 2 * (ARGUMENT), 2 * (AT), STREAM);                      \
  __hpvm__bindIn(NODE, 2 * (ARGUMENT) + 1, 2 * (AT) + 1, STREAM)

/// The host is about to read or write memory of a graph.
static inline void takeHome(void *memory, size_t bytes) {
  llvm_hpvm_request_mem(memory, bytes);
}

BenchRow saxpyRow(void);
BenchRow stencilRow(void);
BenchRow matmulRow(void);
BenchRow histogramRow(void);
BenchRow reductionRow(void);
BenchRow filtersRow(void);
BenchRow streamRow(void);
BenchRow uploadRow(void);
BenchRow downloadRow(void);
BenchRow launchRow(void);
BenchRow chainRow(void);

#endif // SLUICE_BENCH_DEVICE_ROWS_H
