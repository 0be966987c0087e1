//===- ArgumentCheck.h - What tasks do to their datasets --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For SLUICE_CHECK=1: tasks run one after another, and after each the datasets
// are compared with what they were before. So tasks of all kinds are checked,
// whoever compiled their kernels. Where kernels were compiled to be checked,
// each access is, too.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_TASKS_ARGUMENTCHECK_H
#define SLUICE_RUNTIME_TASKS_ARGUMENTCHECK_H

#include "AccessCheck.h"

#include <string>
#include <vector>

namespace sluice::tasks {

class ArgumentCheck {
public:
  ArgumentCheck(const SluiceTaskProgram &program, const Datasets &datasets)
      : program(program), datasets(datasets), accesses(program, datasets) {}

  /// Before the call. What the task says that it only writes gets values that
  /// nobody would write.
  void begin(CodeOwner &task, const SluiceTaskRecord &record);
  /// After it: what the task did that it did not say; empty if nothing.
  std::string end(uint32_t task);
  /// The task failed: nothing is to be said of what it did not do.
  void cancel();

  /// A copy of a part, between two margins of AccessCheck::copyMargin bytes,
  /// that holds what the part does.
  void addCopy(const void *copy, const void *dataset,
               const SluiceTaskView &view) {
    accesses.addCopy(copy, dataset, view);
  }
  void removeCopy(const void *copy) { accesses.removeCopy(copy); }

private:
  std::string findChange(uint32_t data) const;
  std::string findUnwritten(const SluiceTaskArgument &argument) const;
  /// An element that the task says it writes, and reads in no argument.
  bool isWrittenOnly(uint32_t data, uint64_t element) const {
    return access[data][element] == SLUICE_ACCESS_OUT;
  }

  const SluiceTaskProgram &program;
  const Datasets &datasets;
  AccessCheck accesses;
  /// Of the task that runs.
  ElementAccess access;
  /// By dataset; empty: not in use.
  std::vector<std::vector<char>> before;
};

/// True if the environment asks for checks, or the program does and the
/// environment does not object.
bool wantsArgumentCheck(const SluiceTaskProgram &program);

} // namespace sluice::tasks

#endif // SLUICE_RUNTIME_TASKS_ARGUMENTCHECK_H
