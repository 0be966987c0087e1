//===- RunProgram.h - Region programs without generated code ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Test support. Passes the table of a program to the runtime. The program's
// tasks are functions of this process, so that hundreds of programs run in a
// second.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_TESTING_RUNPROGRAM_H
#define SLUICE_LIB_DRIVER_TESTING_RUNPROGRAM_H

#include "SmallProgram.h"

namespace sluice::rdir::oracle {

/// The result of running a lowered program.
struct RunResult {
  /// By place of the forest.
  std::vector<int64_t> numbers;
  /// The first unexpected argument that a task received.
  std::string problem;
  /// The number of graphs with orders known in advance.
  unsigned numKnown = 0;
};

/// Runs the program between sluiceInit and sluiceCleanup, which the caller
/// calls.
RunResult runProgram(const SmallProgram &program);

} // namespace sluice::rdir::oracle

#endif // SLUICE_LIB_DRIVER_TESTING_RUNPROGRAM_H
