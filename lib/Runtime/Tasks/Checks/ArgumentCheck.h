//===- ArgumentCheck.h - What tasks do to their datasets --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For SLUICE_CHECK=1: tasks run one after another, and after each one the
// datasets are compared with their content before. So tasks of all kinds are
// checked, whichever compiler made their kernels. If kernels were compiled to
// be checked, each access is checked as well.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_TASKS_CHECKS_ARGUMENTCHECK_H
#define SLUICE_RUNTIME_TASKS_CHECKS_ARGUMENTCHECK_H

#include "AccessCheck.h"

#include <string>
#include <vector>

namespace sluice::tasks {

class ArgumentCheck {
public:
  ArgumentCheck(const SluiceTaskProgram &program, const Datasets &datasets)
      : program(program), datasets(datasets), accesses(program, datasets) {}

  /// To be called before the task. Elements that it declares as written only
  /// get a pattern of unlikely values.
  void begin(CodeOwner &task, const SluiceTaskRecord &record);
  /// To be called after the task: the uses that it did not declare; empty if
  /// there are none.
  std::string end(uint32_t task);
  /// The task failed, so nothing is reported about what it did not write.
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

/// True if the environment asks for checks, or if the program does and the
/// environment does not turn them off.
bool wantsArgumentCheck(const SluiceTaskProgram &program);

} // namespace sluice::tasks

#endif // SLUICE_RUNTIME_TASKS_CHECKS_ARGUMENTCHECK_H
