//===- casper.h - The header of published CASPER meta-programs --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Meta-programs written for CASPER say #include <casper.h> and find all they
// use in namespace cac; generators find Halide here as well. New programs
// include <sluice/TaskGraph.h>.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_TASKGRAPH_CASPER_CASPER_H
#define SLUICE_TASKGRAPH_CASPER_CASPER_H

#include "sluice/TaskGraph.h"

#if __has_include(<Halide.h>)
#include "sluice/TaskGraph/Halide.h"
#endif

#endif // SLUICE_TASKGRAPH_CASPER_CASPER_H
