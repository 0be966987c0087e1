//===- ElementCheck.h - Tasks access what they were given -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks of programs that were compiled for checks report each access to memory.
// The check compares each access with the arguments of the task: with the
// elements and fields that they name, and with whether they allow the task to
// read or to change these. A task with a wrong access fails when it ends.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REGIONS_CHECKS_ELEMENTCHECK_H
#define SLUICE_RUNTIME_REGIONS_CHECKS_ELEMENTCHECK_H

#include "../StatementGraph.h"

#include "sluice-c/Check.h"

#include <memory>
#include <vector>

namespace sluice::regions {

/// The check of one program. Its tasks run one after another, so that an access
/// by a thread that a task has started is an access of that task.
class ElementCheck {
public:
  using Roots = std::vector<std::unique_ptr<Root>>;

  /// `roots`: those of the program; more may follow.
  explicit ElementCheck(const Roots &roots);
  ~ElementCheck();

  /// Makes the tasks of a complete statement be checked.
  void watch(Statement &statement) const;
  /// A field lies in memory that the runtime did not allocate.
  void addMemory(const void *memory, uint64_t bytes);

  /// An access by a task of any program, or by other code.
  static void accessed(const SluiceCheckSite &site, const void *address,
                       uint64_t size);

  const Roots &roots;

private:
  std::vector<const void *> added;
};

} // namespace sluice::regions

#endif // SLUICE_RUNTIME_REGIONS_CHECKS_ELEMENTCHECK_H
