//===- extents.h - Extents as constants or as arguments ---------*- C -*---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every HPVM-C program of this folder is measured twice: with extents and loop
// bounds the compiler knows, and, with EXTENTS_AT_LAUNCH, with such that
// arrive as arguments of the launch.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_EXTENTS_H
#define SLUICE_BENCH_EXTENTS_H

#ifdef EXTENTS_AT_LAUNCH
#define EXTENT(ARGUMENT, CONSTANT) ((size_t)(ARGUMENT))
#else
#define EXTENT(ARGUMENT, CONSTANT) ((size_t)(CONSTANT))
#endif

#endif // SLUICE_BENCH_EXTENTS_H
