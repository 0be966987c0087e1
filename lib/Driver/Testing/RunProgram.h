//===- RunProgram.h - Region programs without generated code ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Test support. Hands the runtime the table of a program whose tasks are
// functions of this process, so that hundreds of programs run in a second.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_TESTING_RUNPROGRAM_H
#define SLUICE_LIB_DRIVER_TESTING_RUNPROGRAM_H

#include "SmallProgram.h"

namespace sluice::rdir::oracle {

/// What running a lowered program gave.
struct RunResult {
  /// By place of the forest.
  std::vector<int64_t> numbers;
  /// The first thing that a task was given and should not have been.
  std::string problem;
  /// Graphs whose orders were known before.
  unsigned numKnown = 0;
};

/// Runs the program between sluiceInit and sluiceCleanup, which the caller
/// calls.
RunResult runProgram(const SmallProgram &program);

} // namespace sluice::rdir::oracle

#endif // SLUICE_LIB_DRIVER_TESTING_RUNPROGRAM_H
