//===- ArgumentCheck.h - Comparing datasets before and after tasks --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For SLUICE_CHECK=1: tasks run one after another, and after each task the
// datasets are compared with their previous content. So tasks of all kinds are
// checked, whichever compiler made their kernels. If kernels were compiled for
// checks, each access is checked as well.
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

  /// Call it before the task. Elements that the task declares as write-only get
  /// a pattern of unlikely values.
  void begin(CodeOwner &task, const SluiceTaskRecord &record);
  /// Call it after the task: returns its undeclared uses; empty if there are
  /// none.
  std::string end(uint32_t task);
  /// The task failed, so unwritten elements are not reported.
  void cancel();

  /// Adds a copy with the content of a part, between two margins of
  /// AccessCheck::copyMargin bytes.
  void addCopy(const void *copy, const void *dataset,
               const SluiceTaskView &view) {
    accesses.addCopy(copy, dataset, view);
  }
  void removeCopy(const void *copy) { accesses.removeCopy(copy); }

private:
  std::string findChange(uint32_t data) const;
  std::string findUnwritten(const SluiceTaskArgument &argument) const;
  /// Whether the task declares the element as written, and as read in no
  /// argument.
  bool isWrittenOnly(uint32_t data, uint64_t element) const {
    return access[data][element] == SLUICE_ACCESS_OUT;
  }

  const SluiceTaskProgram &program;
  const Datasets &datasets;
  AccessCheck accesses;
  /// The allowed accesses of the running task.
  ElementAccess access;
  /// By dataset; empty: not in use.
  std::vector<std::vector<char>> before;
};

/// True if the environment requests checks, or if the program does and the
/// environment does not disable them.
bool wantsArgumentCheck(const SluiceTaskProgram &program);

} // namespace sluice::tasks

#endif // SLUICE_RUNTIME_TASKS_CHECKS_ARGUMENTCHECK_H
