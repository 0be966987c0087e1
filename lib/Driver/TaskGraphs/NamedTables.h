//===- NamedTables.h - Names and places of a graph in its tables *- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a graph stands in its script, and what it is called, is no code: one
// compiled program is for all graphs that are alike but for that. Messages and
// timelines must name the graph that runs.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_TASKGRAPHS_NAMEDTABLES_H
#define SLUICE_LIB_DRIVER_TASKGRAPHS_NAMEDTABLES_H

#include "sluice-c/TaskGraph.h"
#include "sluice/TaskGraph/Model.h"

namespace sluice::driver {

/// The program with the names and places of `model`, of which it was compiled
/// or of one like it: `program` itself if it has these, else tables that live
/// as long as the process.
const SluiceTaskProgram &withNamesOf(const TaskGraphModel &model,
                                     const SluiceTaskProgram &program);

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_TASKGRAPHS_NAMEDTABLES_H
