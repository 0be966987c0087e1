//===- LoadedProgram.h - A compiled task graph in this process ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The opened shared object of a graph, and the run that executes it.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_TASKGRAPHS_LOADEDPROGRAM_H
#define SLUICE_LIB_DRIVER_TASKGRAPHS_LOADEDPROGRAM_H

#include "sluice-c/TaskGraph.h"
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

  /// True if this program was made from the current state of the graph and its
  /// files, with `options`.
  bool isFor(const TaskGraphModel &model, const Options &options) const;
  /// Runs it from the initial values; throws RunError.
  void execute(const TaskGraphModel &model);
  /// Tries the variants of its tasks and writes the best ones to `file`; throws
  /// RunError.
  void tune(const TaskGraphModel &model, const std::string &file);
  /// The contents of `value`, which owns memory; null before a successful run.
  const void *memoryOf(const ValueImpl &value) const;
  /// The initial values of `value` have changed.
  void setInitial(const ValueImpl &value);
  /// Moves `value` to another array, or to none; throws RunError.
  void bind(const ValueImpl &value);

private:
  std::string key;
  std::vector<std::string> watched;
  std::string state;
  uint64_t revision;
  const SluiceTaskProgram *program = nullptr;
  SluiceTaskRun *run = nullptr;
  bool hasResults = false;
  /// The numbers of datasets in the program's tables.
  std::unordered_map<const ValueImpl *, uint32_t> numbers;
};

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_TASKGRAPHS_LOADEDPROGRAM_H
