//===- ArgumentCheck.h - What tasks do to their datasets --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For SLUICE_CHECK=1: tasks run one after another, and after each the datasets
// are compared with what they were before. So tasks of all kinds are checked,
// whoever compiled their kernels.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_TASKS_ARGUMENTCHECK_H
#define SLUICE_RUNTIME_TASKS_ARGUMENTCHECK_H

#include "Datasets.h"

#include <string>
#include <vector>

namespace sluice::tasks {

class ArgumentCheck {
public:
  ArgumentCheck(const SluiceTaskProgram &program, const Datasets &datasets)
      : program(program), datasets(datasets) {}

  /// Before the call. What the task says that it writes all of gets values
  /// that nobody would write.
  void begin(uint32_t task);
  /// After it: what the task did that it did not say; empty if nothing.
  std::string end(uint32_t task);

private:
  std::string findChange(uint32_t task, uint32_t data) const;
  std::string findUnwritten(const SluiceTaskArgument &argument) const;
  /// An argument that says that all of it is written, and that alone.
  bool isWrittenOnly(const SluiceTaskRecord &task, uint32_t argument) const;

  const SluiceTaskProgram &program;
  const Datasets &datasets;
  /// By dataset; empty: not in use.
  std::vector<std::vector<char>> before;
};

/// True if the environment asks for checks.
bool wantsArgumentCheck();
/// "A[3, 4]"; the name alone of a scalar.
std::string elementName(const SluiceTaskData &data, uint64_t element);
/// The value of one element as text.
std::string elementText(const SluiceTaskData &data, const void *values,
                        uint64_t element);

} // namespace sluice::tasks

#endif // SLUICE_RUNTIME_TASKS_ARGUMENTCHECK_H
