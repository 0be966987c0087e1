//===- Wrong.h - Meta-programs with one mistake each ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All of them are in one executable, since building one for each would take
// minutes: `wrong-graphs NAME` describes that program's graph, and prints why
// it is refused. The files are lit tests, and check the line of the mistake.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_TEST_TASKGRAPH_WRONG_H
#define SLUICE_TEST_TASKGRAPH_WRONG_H

#include "sluice/TaskGraph.h"

using namespace sluice;

/// Describes a graph.
using Describe = void (*)(TaskGraph &graph);

struct WrongProgram {
  WrongProgram(const char *name, Describe describe);
};

/// WRONG(name) { graph.create...; }
#define WRONG(NAME)                                                            \
  static void NAME(TaskGraph &graph);                                          \
  static const WrongProgram register##NAME(#NAME, NAME);                       \
  static void NAME([[maybe_unused]] TaskGraph &graph)

#endif // SLUICE_TEST_TASKGRAPH_WRONG_H
