//===- TaskCommands.h - The commands of sluice on task graphs -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files with task graphs are handled by the library that meta-programs use,
// with one function per command.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_TOOLS_SLUICE_TASKCOMMANDS_H
#define SLUICE_TOOLS_SLUICE_TASKCOMMANDS_H

#include "sluice/Diagnostics/Proof.h"
#include "sluice/Driver/Picture.h"
#include "sluice/Driver/TaskGraphs.h"

#include <optional>

/// The file with the task graph, and options; the other files contain its
/// kernels.
struct TaskFiles {
  std::string graph;
  sluice::driver::TaskBuildOptions options;
};

/// Interprets the command line. Returns none, with an error message, if there
/// are several files with graphs.
std::optional<TaskFiles> taskFiles(const sluice::driver::BuildOptions &options,
                                   const std::string &root);

/// The executable in the cache; no path after printing an error.
sluice::driver::CachedFile cacheTasks(const TaskFiles &files);
/// Builds `output`, or prints a stage.
bool buildTasks(const TaskFiles &files, const std::string &output);
/// Prints every problem, or that there is none.
std::optional<sluice::ProofState> checkTasks(const TaskFiles &files);
/// Draws the task graphs of the file, with the times of a trace if there is
/// one; false after printing an error.
bool drawTasks(const TaskFiles &files, sluice::driver::TracedNodes *traced,
               sluice::driver::Picture &picture);

#endif // SLUICE_TOOLS_SLUICE_TASKCOMMANDS_H
