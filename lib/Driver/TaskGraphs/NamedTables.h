//===- NamedTables.h - Names and locations of graphs ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph's location in its script and its name are not part of the code:
// graphs that differ only in these share one compiled program. But messages and
// timelines must name the graph that runs.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_TASKGRAPHS_NAMEDTABLES_H
#define SLUICE_LIB_DRIVER_TASKGRAPHS_NAMEDTABLES_H

#include "sluice-c/TaskProgram.h"
#include "sluice/TaskGraph/Model.h"

namespace sluice::driver {

/// Returns the program with the names and locations of `model`. The program was
/// compiled from `model` or from a graph like it. Returns `program` itself if
/// it has these names already, otherwise separate tables. Each call needs a
/// call of dropNames().
const SluiceTaskProgram &withNamesOf(const TaskGraphModel &model,
                                     const SluiceTaskProgram &program);
/// Says that no run uses the result of withNamesOf() any more.
void dropNames(const SluiceTaskProgram &program);

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_TASKGRAPHS_NAMEDTABLES_H
