//===- TaskCommands.h - The commands of sluice on task graphs -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files that hold task graphs go through the library that meta-programs use,
// command by command.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_TOOLS_SLUICE_TASKCOMMANDS_H
#define SLUICE_TOOLS_SLUICE_TASKCOMMANDS_H

#include "sluice/Diagnostics/Proof.h"
#include "sluice/Driver/Picture.h"
#include "sluice/Driver/TaskGraphs.h"

#include <optional>

/// The file with the task graph, and options; the other files hold its
/// kernels.
struct TaskFiles {
  std::string graph;
  sluice::driver::TaskBuildOptions options;
};

/// Sorts what the command line says. Nothing, after saying why, if there are
/// several files with graphs.
std::optional<TaskFiles> taskFiles(const sluice::driver::BuildOptions &options,
                                   const std::string &root);

/// The executable in the cache; no path after printing what is wrong.
sluice::driver::CachedFile cacheTasks(const TaskFiles &files);
/// Builds `output`, or prints a stage.
bool buildTasks(const TaskFiles &files, const std::string &output);
/// Prints every problem, or that there is none.
std::optional<sluice::ProofState> checkTasks(const TaskFiles &files);
/// Draws the task graphs of the file, with the times of a trace if there is
/// one; false after printing what is wrong.
bool drawTasks(const TaskFiles &files, sluice::driver::TracedNodes *traced,
               sluice::driver::Picture &picture);

#endif // SLUICE_TOOLS_SLUICE_TASKCOMMANDS_H
