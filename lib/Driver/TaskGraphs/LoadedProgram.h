//===- LoadedProgram.h - A compiled task graph in this process ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shared object of a graph, opened, and the run that it is executed by.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_TASKGRAPHS_LOADEDPROGRAM_H
#define SLUICE_LIB_DRIVER_TASKGRAPHS_LOADEDPROGRAM_H

#include "sluice-c/TaskProgram.h"
#include "sluice/TaskGraph/Model.h"

#include "sluice/Toolchain/CachedFile.h"

#include <string>
#include <unordered_map>

namespace sluice::driver {

class LoadedProgram : public ProgramState {
public:
  /// Opens the shared object `file`; throws RunError.
  LoadedProgram(const CachedFile &file, const TaskGraphModel &model,
                const Options &options);
  ~LoadedProgram() override;

  /// True if this is the program of the graph and of its files as they are
  /// now, and of `options`.
  bool isFor(const TaskGraphModel &model, const Options &options) const;
  /// Runs it from the initial values; throws RunError.
  void execute(const TaskGraphModel &model);
  /// Tries the variants of its tasks and writes the best to `file`; throws
  /// RunError.
  void tune(const TaskGraphModel &model, const std::string &file);
  /// What `value`, which owns memory, has; null before a successful run.
  const void *memoryOf(const ValueImpl &value) const;
  /// Initial values of `value` have changed.
  void setInitial(const ValueImpl &value);
  /// `value` lies in another array now, or in none; throws RunError.
  void bind(const ValueImpl &value);

private:
  std::string key;
  std::vector<std::string> watched;
  std::string state;
  uint64_t revision;
  const SluiceTaskProgram *program = nullptr;
  SluiceTaskRun *run = nullptr;
  bool hasResults = false;
  /// Numbers of datasets in the program's tables.
  std::unordered_map<const ValueImpl *, uint32_t> numbers;
};

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_TASKGRAPHS_LOADEDPROGRAM_H
